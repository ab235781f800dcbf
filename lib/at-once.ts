// Many things to do, so many at a time.

/**
 * Takes the items in their order, and resolves to what came of each in that order. Whoever fails takes no more; throws the
 * first failure when nothing is under way any more.
 */
export async function atOnce<T, Result>(
  most: number,
  items: readonly T[],
  act: (item: T) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = items.entries()
  const worker = async () => {
    for (const [index, item] of left) results[index] = await act(item)
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker))
  const failed = ended.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
  if (failed) throw failed.reason
  return results
}
