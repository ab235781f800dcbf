// Calls of which some failures are as good as success.

/** Resolves to undefined where one of these tests takes the failure for expected. */
export async function undefinedWhere<T>(
  isExpected: readonly ((error: unknown) => boolean)[],
  call: Promise<T>,
): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (isExpected.some((test) => test(error))) return undefined
    throw error
  }
}
