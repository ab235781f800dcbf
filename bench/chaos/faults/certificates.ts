// The webhook's certificate expires, is renewed or lost, while pods are bound.
import { setTimeout as pause } from 'node:timers/promises'
import type { V1Secret } from '@kubernetes/client-node'
import { createServingCertificate, type Validity } from '../../../certs/authority.ts'
import { textIn } from '../../../certs/secrets.ts'
import { systemNamespace } from '../../../test/scenario/zonefirst.ts'
import { grow, scaleProgram, shrink } from '../acts.ts'
import type { Fault } from '../fault.ts'
import type { System } from '../system.ts'

const about = 'zonefirst'
const [serving, authority] = ['zonefirst-webhook-tls', 'zonefirst-webhook-ca']
const day = 86_400_000
const inSystem = ({ cluster }: System, ...args: string[]) => cluster.kubectl('-n', systemNamespace, ...args)

/** Signed by the authority that the API server trusts. */
async function replaceCertificate({ cluster: { kube } }: System, validity: Validity): Promise<void> {
  const path = `/api/v1/namespaces/${systemNamespace}/secrets`
  const read = (name: string) => kube.request<V1Secret>({ method: 'GET', path: `${path}/${name}` })
  const [ca, before] = [await read(authority), await read(serving)]
  const host = `zonefirst-webhook.${systemNamespace}.svc`
  const { cert, key } = await createServingCertificate({
    authority: { cert: textIn(ca, 'tls.crt'), key: textIn(ca, 'tls.key') },
    dnsNames: [host, `${host}.cluster.local`],
    validity,
  })
  const texts = { 'tls.crt': cert, 'tls.key': key }
  const encoded = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')])
  const body = { ...before, data: { ...before.data, ...Object.fromEntries(encoded) } }
  await kube.request({ method: 'PUT', path: `${path}/${serving}`, body })
}

export const certificateFaults: Fault[] = [
  {
    name: 'certificate-expired',
    title: 'the webhook’s certificate has expired and nobody renews it, and pods are added',
    about,
    async inject(system) {
      await scaleProgram(system, 'certs', 0)
      const now = Date.now()
      await replaceCertificate(system, {
        notBefore: new Date(now - 2 * day),
        notAfter: new Date(now - day),
      })
      await pause(3_000)
      await grow(system)
    },
    async heal(system) {
      await scaleProgram(system, 'certs', 2)
      await shrink(system)
    },
  },
  {
    name: 'certificate-rotated',
    title: 'the webhook’s certificate renewed five times in ten seconds, and pods are added',
    about,
    async inject(system) {
      const growing = grow(system)
      growing.catch(() => {})
      for (let time = 0; time < 5; time++) {
        const now = Date.now()
        await replaceCertificate(system, {
          notBefore: new Date(now - 300_000),
          notAfter: new Date(now + 90 * day),
        })
        await pause(2_000)
      }
      await growing
    },
    heal: shrink,
  },
  {
    name: 'certificate-deleted',
    title: 'the webhook’s certificate deleted, and pods are added',
    about,
    async inject(system) {
      await inSystem(system, 'delete', 'secret', serving)
      await grow(system)
    },
    heal: shrink,
  },
  {
    name: 'ca-changed',
    title: 'the webhook’s CA deleted, so that a new one is made, and pods are added',
    about,
    async inject(system) {
      await inSystem(system, 'delete', 'secret', authority)
      await grow(system)
    },
    heal: shrink,
  },
]
