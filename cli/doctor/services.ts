// Pure: Services that are refused, and what stands where it shouldn't: zonal Services without use, annotations twice.
import { addressesPerAnswer } from '../../annotator/plan/advice.ts'
import { handlingOf, type Reason } from '../../annotator/plan/reasons.ts'
import { familyOf } from '../../annotator/plan/zonal-services.ts'
import { serversAnnotation, zonalServiceLabel } from '../../lib/names.ts'
import { proxiesOf } from '../proxies.ts'
import type { Check, Finding } from './finding.ts'
import { resolversOf } from './proxies.ts'

/** Those that somebody asked to have routed by zone. */
export const refusedServices: Check = ({ states }) =>
  states
    .filter(({ mode, reason }) => (mode === 'off' || mode === 'ending') && !isSilent(reason))
    .map(({ key, reason, message = '' }) => ({
      check: 'service-refused',
      severity: 'warning',
      subject: `Service ${key}`,
      problem: `is not routed by zone (${reason}): ${message}`,
      fix: `docs/events.md says more about ${reason}`,
    }))

/** What the annotator has not written, or somebody has changed. */
export const unfinishedServices: Check = ({ states, installation }) =>
  states
    .filter(({ mode, written }) => mode === 'zonal' && Object.keys(written).length > 0)
    .flatMap(({ key, missing }): Finding[] => {
      const writes = missing.filter(({ kind }) => kind === 'apply-zonal-service' || kind === 'set-annotation')
      if (writes.length === 0) return []
      return [
        {
          check: 'service-unfinished',
          severity: installation.isInstalled ? 'warning' : 'error',
          subject: `Service ${key}`,
          problem: `lacks ${writes.length} of the things that are to be written for it`,
          fix: 'see that the annotator is up, and its log: it restores them within seconds',
        },
      ]
    })

export const orphanedServices: Check = ({ snapshot, states }) => {
  const routed = new Set(
    states.filter(({ mode }) => mode !== 'off').map(({ input }) => input.primary.metadata.uid),
  )
  return snapshot.services
    .filter(({ metadata }) => metadata.labels?.[zonalServiceLabel] !== undefined)
    .filter(({ metadata }) => !(metadata.ownerReferences ?? []).some(({ uid }) => routed.has(uid)))
    .map(({ metadata }) => ({
      check: 'orphaned-zonal-service',
      severity: 'warning',
      subject: `Service ${metadata.namespace}/${metadata.name}`,
      problem: 'is a zonal Service without a Service that is routed by zone',
      fix: 'see that the annotator is up: it takes it away; without one, zonefirst cleanup does',
    }))
}

/** Two annotations give a backend the servers twice, which HAProxy refuses. */
export const doubleAnnotations: Check = ({ states, snapshot, installation }) => {
  const twice = states.flatMap(({ key, written }): Finding[] => {
    const keys = Object.keys(written)
    if (keys.length < 2) return []
    return [
      {
        check: 'annotation-twice',
        severity: 'error',
        subject: `Service ${key}`,
        problem: `has server lines by ${keys.join(' and by ')}, of which HAProxy takes one alone`,
        fix: `see that the annotator is up: it keeps ${installation.dialect.annotation}`,
      },
    ]
  })
  const onIngresses = snapshot.ingresses
    .filter(({ metadata }) => metadata.annotations?.[serversAnnotation] !== undefined)
    .map(
      ({ metadata }): Finding => ({
        check: 'annotation-twice',
        severity: 'error',
        subject: `Ingress ${metadata.namespace}/${metadata.name}`,
        problem: `has ${serversAnnotation}, which belongs on Services, and which only the annotator may write`,
        fix: `kubectl annotate ingress -n ${metadata.namespace} ${metadata.name} ${serversAnnotation}-`,
      }),
    )
  return [...twice, ...onIngresses]
}

/** An answer that is too long is cut off, and then all zones serve. */
export const truncatedAnswers: Check = (inspection) => {
  const sections = proxiesOf(inspection.snapshot)
    .map((pod) => resolversOf(inspection, pod))
    .filter((section) => section !== undefined)
  if (sections.length === 0) return []
  const payload = Math.min(...sections.map((section) => section.payload))
  return inspection.states
    .filter(({ mode }) => mode === 'zonal' || mode === 'ending')
    .flatMap(({ key, namespace, zones, input }): Finding[] => {
      const worst = input.zonalServices
        .map(({ metadata }) => {
          const zone = zones.find((each) => each.key === metadata.labels?.[zonalServiceLabel])
          const host = `${metadata.name}.${namespace}.svc.cluster.local`
          return {
            pods: zone?.serving ?? 0,
            zone: zone?.zone ?? '',
            room: addressesPerAnswer(host, familyOf(input.primary), payload),
          }
        })
        .sort((a, b) => b.pods - b.room - (a.pods - a.room))[0]
      if (worst === undefined || worst.pods <= worst.room * 0.8) return []
      const isCut = worst.pods > worst.room
      return [
        {
          check: 'dns-answer-size',
          severity: isCut ? 'error' : 'warning',
          subject: `Service ${key}`,
          problem: `has ${worst.pods} pods that serve zone ${worst.zone}, and accepted_payload_size ${payload} has room for ${worst.room}${isCut ? ': answers are cut off, and all zones serve' : ''}`,
          fix: 'raise accepted_payload_size in the resolvers section (8192 holds about 500 pods), also in the DNS server',
        },
      ]
    })
}

function isSilent(reason: string): boolean {
  return handlingOf(reason as Reason)?.silent === true
}
