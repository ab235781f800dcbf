// Pure: the ordered list of checks that a primary Service has to pass before anything is written for it.
import { enabledLabel, servesLabel } from '../../lib/names.ts'
import type { Input } from './input.ts'
import type { Refusal } from './reasons.ts'
import { isStampedRight } from './stamps.ts'

type Check = (input: Input) => Refusal | undefined

/** The first check that objects, or undefined where the Service can be routed by zone. */
export function refusalOf(input: Input): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(input)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

const checks: readonly Check[] = [
  ({ primary }) =>
    when(primary.metadata.labels?.[enabledLabel] === 'false', {
      reason: 'KeptOut',
      message: `its label ${enabledLabel} is "false"`,
    }),
  // asked for by its own label, or by its pods' (which a Service without a selector has none of)
  ({ primary, pods }) =>
    when(pods.length === 0 && primary.metadata.labels?.[enabledLabel] !== 'true', {
      reason: 'NotOptedIn',
      message: 'none of its pods has opted in',
    }),
  ({ primary }) =>
    when(primary.spec?.type === 'ExternalName', {
      reason: 'ExternalName',
      message: 'an ExternalName Service has no pods to route to: take the opt-in off',
    }),
  ({ primary }) =>
    when(Object.keys(primary.spec?.selector ?? {}).length === 0, {
      reason: 'NoSelector',
      message:
        'a Service without a selector has no pods that could be told apart by zone: give it a selector',
    }),
  ({ pods }) => when(pods.length === 0, { reason: 'NotOptedIn', message: 'none of its pods has opted in' }),
  ({ routes }) =>
    when(routes.length === 0, {
      reason: 'NotRouted',
      message: 'no Ingress of a class of this controller routes to it',
    }),
  ({ primary }) =>
    when(Object.hasOwn(primary.spec?.selector ?? {}, servesLabel), {
      reason: 'OwnLabelInSelector',
      message: `its selector uses ${servesLabel}, which zonefirst changes by itself: select by another label`,
    }),
  ({ primary }) =>
    when(primary.spec?.publishNotReadyAddresses === true, {
      reason: 'PublishesNotReadyAddresses',
      message:
        'it publishes addresses of pods that are not ready, which then would get all of a zone: turn that off',
    }),
  ({ zones }) =>
    when(zones.length === 0, {
      reason: 'NoZones',
      message: 'no Node has a zone label (topology.kubernetes.io/zone): label the Nodes',
    }),
  readyPodsAreStamped,
]

/** Some stamped pods among others would take the whole of their zones: so all or nothing. */
function readyPodsAreStamped({ pods, endpoints, zoneOfNode }: Input): Refusal | undefined {
  const stamped = new Set(pods.filter((pod) => isStampedRight(pod, zoneOfNode)).map((pod) => pod.name))
  const ready = new Set(endpoints.flatMap((slice) => slice.pods))
  const others = endpoints.reduce((sum, slice) => sum + slice.others, 0)
  const all = ready.size + others
  if (all === 0) return { reason: 'NoReadyPods', message: 'none of its pods is ready' }
  const count = [...ready].filter((name) => stamped.has(name)).length
  return when(count < all, {
    reason: 'PodsNotStamped',
    message: `${count} of its ${all} ready pods are opted in and stamped with their zone: label all of them ${enabledLabel}=true on the pod template, and see that their Nodes have a zone label`,
  })
}

function when(objects: boolean, refusal: Refusal): Refusal | undefined {
  return objects ? refusal : undefined
}
