// Pure: whether a label selector of the API's matches.
import type { V1LabelSelector } from '@kubernetes/client-node'

/** No selector, or an empty one, matches everything. */
export function matches(
  selector: V1LabelSelector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {}
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key]
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value)
        case 'NotIn':
          return value === undefined || !values.includes(value)
        case 'Exists':
          return value !== undefined
        case 'DoesNotExist':
          return value === undefined
        default:
          return true
      }
    })
  )
}
