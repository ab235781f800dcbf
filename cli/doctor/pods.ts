// Pure: whether opted-in pods have the right stamp, Nodes a zone, and pods a Service.
import { keepNode, keepPod, type Pod } from '../../annotator/objects/objects.ts'
import { selectorIndex, servicesSelecting } from '../../annotator/objects/selector.ts'
import { roleLabel, zonalServiceLabel } from '../../lib/names.ts'
import { zoneKey } from '../../lib/zone.ts'
import type { Inspection } from '../inspection.ts'
import { zoneOfNodes } from '../nodes.ts'
import { type Check, someOf } from './finding.ts'

export const unstampedPods: Check = (inspection) =>
  grouped(
    running(inspection).filter(({ zone, zoneKey: key }) => zone === undefined || key === undefined),
    (names) => ({
      check: 'pods-unstamped',
      severity: 'error',
      subject: `Pods ${names}`,
      problem: 'have no stamp, though they opted in and run on a Node',
      fix: 'see that webhook and annotator are up (other findings), and that their Nodes have a zone label',
    }),
  )

export const wrongStamps: Check = (inspection) => {
  const zones = zoneOfNodes(inspection.snapshot)
  return grouped(
    running(inspection).filter(({ zone, zoneKey: key, nodeName = '' }) => {
      const real = zones.get(nodeName)
      return (
        zone !== undefined &&
        real !== undefined &&
        (zone !== real || (key !== undefined && key !== zoneKey(real)))
      )
    }),
    (names) => ({
      check: 'stamp-differs',
      severity: 'error',
      subject: `Pods ${names}`,
      problem: 'have another zone in the stamp than the label of the Node says',
      fix: 'see that the annotator is up: it sets them right; proxies have to be restarted then',
    }),
  )
}

export const nodesWithoutZone: Check = (inspection) => {
  const nodes = inspection.snapshot.nodes.map(keepNode)
  const without = nodes.filter(({ zone }) => zone === undefined).map(({ name }) => name)
  if (without.length === 0) return []
  const running = new Set(inspection.snapshot.pods.map(({ spec }) => spec?.nodeName))
  const matters = without.some((name) => running.has(name))
  return [
    {
      check: 'node-without-zone',
      severity: matters || without.length === nodes.length ? 'error' : 'warning',
      subject: `Nodes ${someOf(without)}`,
      problem: 'have no zone label, so that pods on them can’t be told apart by zone',
      fix: 'label them topology.kubernetes.io/zone=<zone>',
    },
  ]
}

export const unselectedPods: Check = (inspection) => {
  const selectors = selectorIndex()
  for (const service of inspection.snapshot.services) selectors.replace(service, undefined)
  const lonely = running(inspection).filter(
    (pod) =>
      pod.labels[roleLabel] !== 'proxy' &&
      !servicesSelecting(selectors, pod).some(({ metadata }) => !metadata.labels?.[zonalServiceLabel]),
  )
  return grouped(lonely, (names) => ({
    check: 'pods-without-service',
    severity: 'warning',
    subject: `Pods ${names}`,
    problem: 'opted in, but no Service selects them, so nothing is routed to them by zone',
    fix: 'see the selector of their Service, or take the label zonefirst.io/enabled off',
  }))
}

function running({ snapshot }: Inspection): Pod[] {
  return snapshot.pods.map(keepPod).filter(({ ended, nodeName }) => !ended && nodeName !== undefined)
}

function grouped(
  pods: readonly Pod[],
  describe: (names: string) => ReturnType<Check>[number],
): ReturnType<Check> {
  if (pods.length === 0) return []
  const names = pods.map(({ namespace, name }) => `${namespace}/${name}`)
  return [describe(someOf(names))]
}
