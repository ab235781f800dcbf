// The floor: a fastify server over TLS that answers every review with a patch of its own making, and asks nobody. What
// it takes, no webhook on fastify can go below.
import { readFileSync } from 'node:fs'
import fastify from 'fastify'

const { ZONEFIRST_TLS_FOLDER, ZONEFIRST_REVIEW_PORT, ZONEFIRST_PROBES_PORT } = process.env
const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c']

interface Review {
  request: { uid: string; object: { target: { name: string } } }
}

/** The made-up API server's zones, told by the node's name. */
function zoneOfNode(name: string): string | undefined {
  const [, tens = 0, ones = 0] = /^ip-10-0-(\d+)-(\d+)/.exec(name) ?? []
  return zones[(Number(tens) * 200 + Number(ones)) % zones.length]
}

const reviews = fastify({
  https: {
    cert: readFileSync(`${ZONEFIRST_TLS_FOLDER}/tls.crt`),
    key: readFileSync(`${ZONEFIRST_TLS_FOLDER}/tls.key`),
  },
  keepAliveTimeout: 120_000,
})
reviews.post<{ Body: Review }>('/mutate', async ({ body: { request } }) => {
  const patch = [
    { op: 'add', path: '/metadata/annotations', value: { zone: zoneOfNode(request.object.target.name) } },
  ]
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: request.uid,
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    },
  }
})
await reviews.listen({ host: '127.0.0.1', port: Number(ZONEFIRST_REVIEW_PORT) })

const probes = fastify()
probes.get('/readyz', async () => 'ok')
await probes.listen({ host: '127.0.0.1', port: Number(ZONEFIRST_PROBES_PORT) })
