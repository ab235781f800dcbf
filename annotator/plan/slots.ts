// Pure: how many server slots a template prepares. Each change of the number is a reload of every HAProxy, so it grows
// early, in powers of two, and shrinks late.
export const fewestSlots = 8
export const mostSlots = 512

/** `current` is what the annotation says today, undefined where there is none. */
export function slotsFor(readyPods: number, current: number | undefined): number {
  const wanted = slotsWithRoom(readyPods)
  if (current === undefined || !isNumberOfOurs(current)) return wanted
  const isFull = readyPods * 1.125 > current
  // by this much, so that an autoscaler that goes up in one step and down again doesn't reload at each turn
  const isFarTooLarge = wanted * 8 <= current
  return isFull || isFarTooLarge ? wanted : current
}

function slotsWithRoom(readyPods: number): number {
  let slots = fewestSlots
  while (slots < readyPods * 1.5 && slots < mostSlots) slots *= 2
  return slots
}

/** Somebody may have changed it to one that the controller's rule refuses. */
function isNumberOfOurs(slots: number): boolean {
  return slots >= fewestSlots && slots <= mostSlots && Number.isInteger(Math.log2(slots))
}
