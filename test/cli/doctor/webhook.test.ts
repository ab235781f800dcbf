import t from 'tap'
import type { Parts } from '../../fixtures/inspection.ts'
import { eachIsFoundAlone, type PlantedFault } from '../../fixtures/planted-faults.ts'

/** The certificate ends after 60 days; the leader goes on. */
function passDays({ snapshot, lease }: Parts, days: number): void {
  snapshot.takenAt += days * 24 * 3_600_000
  lease.value.spec.renewTime = new Date(snapshot.takenAt - 2_000).toISOString()
}

const rows: PlantedFault[] = [
  {
    fault: 'the webhook configuration was deleted',
    plant: (parts) => {
      parts.webhook = { missing: 'absent' }
    },
    want: 'webhook-configuration',
  },
  {
    fault: 'a webhook refuses pods when it is away',
    plant: ({ webhook }) => {
      webhook.value.webhooks[0].failurePolicy = 'Fail'
    },
    want: 'webhook-failure-policy',
    problem: /no pod starts/,
  },
  {
    fault: 'a webhook may keep pods waiting',
    plant: ({ webhook }) => {
      webhook.value.webhooks[1].timeoutSeconds = 10
    },
    want: 'webhook-failure-policy',
    problem: /10 s/,
  },
  {
    fault: 'no pod of the webhook is ready',
    plant: ({ snapshot }) => {
      snapshot.slices[1].endpoints[0].conditions.ready = false
    },
    want: 'webhook-endpoints',
  },
  {
    fault: 'the caBundle is empty',
    plant: ({ webhook }) => {
      delete webhook.value.webhooks[0].clientConfig.caBundle
    },
    want: 'webhook-certificate',
    problem: /has no caBundle/,
  },
  {
    fault: 'the caBundle is of another authority',
    plant: ({ webhook, servingCertificate }) => {
      for (const each of webhook.value.webhooks)
        each.clientConfig.caBundle = Buffer.from(servingCertificate.value).toString('base64')
    },
    want: 'webhook-certificate',
    problem: /does not trust/,
  },
  {
    fault: 'the certificate has ended',
    plant: (parts) => passDays(parts, 61),
    want: 'webhook-certificate',
    problem: /is not valid now/,
  },
  {
    fault: 'the certificate is about to end',
    plant: (parts) => passDays(parts, 59),
    want: 'webhook-certificate',
    problem: /should have been renewed/,
  },
  {
    fault: 'the serving certificate is gone',
    plant: (parts) => {
      parts.servingCertificate = { missing: 'absent' }
    },
    want: 'webhook-certificate',
  },
  {
    fault: 'the API server can’t reach the webhook',
    plant: (parts) => {
      parts.trial = { outcome: 'unstamped' }
    },
    want: 'webhook-answers',
  },
  {
    fault: 'ingress controllers live where the webhook is never shown a pod',
    plant: ({ webhook }) => {
      for (const { namespaceSelector } of webhook.value.webhooks)
        namespaceSelector.matchExpressions[0].values.push('haproxy-controller')
    },
    want: 'excluded-namespace',
    problem: /2 ingress controllers in it run without their zone/,
  },
]

t.test('faults of the webhook', async (t) => eachIsFoundAlone(t, rows))
