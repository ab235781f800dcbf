// The order of writes: those of one kind don't depend on one another and go out together, so many at a time; those of the
// next kind wait for them.
import { atOnce } from '../../lib/at-once.ts'

interface OfKind {
  kind: string
}

/** A step whose writes have not all succeeded is the last one. */
export async function inSteps<T extends OfKind>(
  writes: readonly T[],
  most: number,
  carryOut: (write: T) => Promise<void>,
): Promise<void> {
  for (const step of stepsOf(writes)) {
    await atOnce(most, step, carryOut)
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
