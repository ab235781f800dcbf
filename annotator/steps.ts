// The order of writes: those of one kind don't depend on one another and go out together, so many at a time; those of the
// next kind wait for them.

interface OfKind {
  kind: string
}

/** A step whose writes have not all succeeded is the last one: throws the first failure when nothing is under way any more. */
export async function inSteps<T extends OfKind>(
  writes: readonly T[],
  atOnce: number,
  carryOut: (write: T) => Promise<void>,
): Promise<void> {
  for (const step of stepsOf(writes)) {
    const left = step.values()
    const worker = async () => {
      for (const write of left) await carryOut(write)
    }
    const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker))
    const failed = ended.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    if (failed) throw failed.reason
  }
}

/** Neighbours of one kind. */
function stepsOf<T extends OfKind>(writes: readonly T[]): T[][] {
  const steps: T[][] = []
  for (const write of writes) {
    const step = steps.at(-1)
    if (step?.[0]?.kind === write.kind) step.push(write)
    else steps.push([write])
  }
  return steps
}
