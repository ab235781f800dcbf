// Pure: a straight line through samples, and how sure its slope is.
export interface Sample {
  seconds: number
  value: number
}

export interface Trend {
  perHour: number
  /** Twice the standard error: growth below perHour + this could not have been told from none. */
  uncertaintyPerHour: number
}

export function trendOf(samples: readonly Sample[]): Trend {
  const count = samples.length
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / count
  const [meanX, meanY] = [
    mean(samples.map(({ seconds }) => seconds)),
    mean(samples.map(({ value }) => value)),
  ]
  const spread = samples.reduce((sum, { seconds }) => sum + (seconds - meanX) ** 2, 0)
  const slope =
    samples.reduce((sum, { seconds, value }) => sum + (seconds - meanX) * (value - meanY), 0) / spread
  const residual = samples.reduce(
    (sum, { seconds, value }) => sum + (value - meanY - slope * (seconds - meanX)) ** 2,
    0,
  )
  const error = Math.sqrt(residual / (count - 2) / spread)
  return { perHour: slope * 3_600, uncertaintyPerHour: 2 * error * 3_600 }
}
