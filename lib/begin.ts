// How a program ends that can't begin: with one sentence for people, where an uncaught error would show our code.

/** Takes a step without which there is no program. Where it fails, the process ends with the error's sentence. */
export async function begin<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
}
