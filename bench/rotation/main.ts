import '../../test/cluster/enter-with-cert-manager.ts'

// `make bench-rotation`: certificates of a real cert-manager, renewed every 20 s under load. A failed review fails it.
import { mkdir, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { integer, readSettings } from '../../lib/settings.ts'
import { speaker } from '../../test/demo/steps.ts'
import { changeCertificate, startCertManagerCluster, watchSecret } from '../../test/scenario/certificates.ts'
import { startReviews } from '../../test/scenario/steady-reviews.ts'

const [ca, serving] = ['zonefirst-webhook-ca', 'zonefirst-webhook-tls']
/** The shortest that cert-manager takes is an hour: this renews it every 20 s. */
const every20s = { duration: '1h', renewBefore: '59m40s' }
const usual = {
  [ca]: { duration: '87600h', renewBefore: null },
  [serving]: { duration: '2160h', renewBefore: '720h' },
}

interface Phase {
  title: string
  renewed: string[]
  /** How late files reach the webhook. */
  lateSeconds: number
}

const { seconds, late } = readSettings(
  {
    seconds: {
      env: 'ROTATION_SECONDS',
      parse: integer({ min: 20, max: 3_600 }),
      default: 120,
      help: 'How long each phase lasts.',
    },
    late: {
      env: 'ROTATION_LATE_SECONDS',
      parse: integer({ min: 0, max: 3_600 }),
      default: 90,
      help: 'How late files are in the phases with late files.',
    },
  },
  process.env,
)
const phases: Phase[] = [
  { title: 'certificate', renewed: [serving], lateSeconds: 0 },
  { title: 'certificate and CA', renewed: [serving, ca], lateSeconds: 0 },
  { title: 'certificate and CA, late files', renewed: [serving, ca], lateSeconds: late },
]

const say = speaker(process.stdout)
const { cluster } = await say.step('a cluster with cert-manager and zonefirst', startCertManagerCluster)

async function run({ title, renewed, lateSeconds }: Phase) {
  cluster.kubelet.secretDelayMs = lateSeconds * 1_000
  const [authority, secret] = [await watchSecret(cluster, ca), await watchSecret(cluster, serving)]
  const reviews = await startReviews(cluster)
  for (const name of renewed) await changeCertificate(cluster, name, every20s)
  await pause(seconds * 1_000)
  const { asked, direct, failures } = await reviews.stop()
  for (const name of renewed) await changeCertificate(cluster, name, usual[name] ?? {})
  authority.stop()
  secret.stop()
  const [certificates, authorities] = [secret.certs.length - 1, authority.certs.length - 1]
  return { title, seconds, lateSeconds, certificates, authorities, asked, direct, failures }
}

const rows = []
for (const phase of phases) rows.push(await say.step(`${phase.title}, ${seconds} s`, () => run(phase)))
await cluster.stop()

say.table(
  [
    'renewed every 20 s',
    'files late by',
    'certificates',
    'CAs',
    'asked by the API server',
    'direct',
    'failures',
  ],
  rows.map((row) => [
    row.title,
    `${row.lateSeconds} s`,
    row.certificates,
    row.authorities,
    row.asked,
    row.direct,
    row.failures.length,
  ]),
)
await mkdir('build', { recursive: true })
await writeFile('build/bench-rotation.json', `${JSON.stringify({ rows }, null, 2)}\n`)
const failures = rows.flatMap((row) => row.failures)
for (const failure of failures.slice(0, 20)) say.note(failure)
process.exit(failures.length > 0 ? 1 : 0)
