// The whole life of an installation with a real cert-manager and with traffic, by Helm, by kubectl and by kustomize: no
// request is lost on the way, and in the end all is as it was. One after the other in one cluster: each finds what the one
// before has left.
import '../cluster/enter-with-helm.ts'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import t from 'tap'
import { startCertManager } from '../cluster/cert-manager.ts'
import { startCluster } from '../cluster/cluster.ts'
import { namespace } from '../scenario/application.ts'
import { zonefirst } from '../scenario/command-line.ts'
import { helm, helmVersion, release, replaceEveryPod } from '../scenario/helm.ts'
import { untilServed } from '../scenario/routing.ts'
import { marksOnPods, namedZonefirst, snapshot } from '../scenario/snapshot.ts'
import {
  controllersSide,
  installValidationRules,
  systemNamespace,
  untilInstalled,
} from '../scenario/zonefirst.ts'
import {
  program,
  restartProxies,
  runApplication,
  runProxies,
  send,
  sendDuring,
  untilRouted,
  zones,
} from './system.ts'

interface Way {
  name: string
  install(): Promise<unknown>
  /** to what replaces every pod of zonefirst's */
  upgrade(): Promise<unknown>
  uninstall(): Promise<unknown>
}

/** Opting in by the pod template is a rollout, which the pods have to end well. */
const drainTime = 5

const cluster = await startCluster({ zones })
t.teardown(() => cluster.stop())
t.comment(`ingress controller: ${program.name}, Helm ${await helmVersion(cluster)}`)
await startCertManager(cluster)
await installValidationRules(cluster, program)
await runApplication(cluster, { optedIn: false, drainTime })
await runProxies(cluster)

const image = 'ghcr.io/zonefirst/zonefirst'
const manifest = await readFile('manifests/install.yaml', 'utf8')
const nextVersion = join(cluster.folder, 'install.yaml')
await writeFile(nextVersion, manifest.replaceAll(new RegExp(`(?<=image: "?${image}):[^\\s"]+`, 'g'), ':next'))
const overlay = join(cluster.folder, 'overlay')
await mkdir(overlay)
const images = [{ name: image, newTag: 'next' }]
await writeFile(
  join(overlay, 'kustomization.yaml'),
  JSON.stringify({ resources: [relative(overlay, 'manifests')], images }),
)

const ways: Way[] = [
  {
    name: 'helm',
    install: () => helm(cluster, 'install', ...release, '--create-namespace'),
    upgrade: () => helm(cluster, 'upgrade', ...release, ...replaceEveryPod),
    async uninstall() {
      await helm(cluster, 'uninstall', 'zonefirst', '--wait')
    },
  },
  byKubectl('kubectl', ['-f', 'manifests/install.yaml'], ['-f', nextVersion]),
  byKubectl('kustomize', ['-k', 'manifests'], ['-k', overlay]),
]

function byKubectl(name: string, first: string[], next: string[]): Way {
  const apply = async (flags: string[]) => {
    await cluster.kubectl('apply', ...flags)
    await untilInstalled(cluster)
  }
  return {
    name,
    install: () => apply(first),
    upgrade: () => apply(next),
    uninstall: () => cluster.kubectl('delete', '--wait', ...next),
  }
}

const systemPods = async () => {
  const pods = ['-n', systemNamespace, 'get', 'pods', '-o', 'jsonpath={.items[*].metadata.uid}']
  return (await cluster.kubectl(...pods)).split(' ')
}

for (const { name, install, upgrade, uninstall } of ways) {
  t.test(name, async (t) => {
    await untilServed(cluster, 'web', { proxies: 3, pods: 6, local: 0 })
    const before = await state()

    await t.test('installed, and an application opted in: its traffic stays in its zone', async (t) => {
      await install()
      await restartProxies(cluster)
      await runApplication(cluster, { drainTime })
      await untilRouted(cluster)
      const { crossedRequests, failed } = await send(cluster)
      t.strictSame({ crossedRequests, failed }, { crossedRequests: 0, failed: 0 })
    })

    await t.test('an upgrade that replaces every pod: no request is lost, and no stamp', async (t) => {
      const [stamped, replaced] = [await stamps(), await systemPods()]
      t.equal(stamped.match(/=eu-west-1/g)?.length, 6, stamped)
      const { failures, requests } = await sendDuring(cluster, async () => {
        await upgrade()
        await cluster.until('all pods are others', async () => {
          const now = await systemPods()
          return !replaced.some((uid) => now.includes(uid))
        })
      })
      t.strictSame(failures, {})
      t.ok(requests > 100, `${requests} requests meanwhile`)
      t.equal(await stamps(), stamped)
      await untilRouted(cluster)
      t.equal((await send(cluster)).crossedRequests, 0)
    })

    await t.test('uninstalled, then cleaned up: no request is lost, and all is as it was', async (t) => {
      const { failures } = await sendDuring(cluster, async () => {
        await uninstall()
        t.equal((await send(cluster)).crossedRequests, 0, 'routing goes on without zonefirst')
        const { exitCode, out } = await zonefirst(cluster, 'cleanup', '--yes', '--wait=8')
        t.equal(exitCode, 0, out)
        await cluster.kubectl('delete', 'namespace', systemNamespace, '--ignore-not-found')
        await untilServed(cluster, 'web', { proxies: 3, pods: 6, local: 0 })
      })
      t.strictSame(failures, {})
      t.strictSame(await state(), before)
      const { zones: traffic } = await send(cluster)
      for (const { zone, byPod } of traffic) t.equal(Object.keys(byPod).length, 6, `${zone}: all pods answer`)
    })

    await runApplication(cluster, { optedIn: false, drainTime })
  })
}

t.test('the ingress controllers’ side, taken out as well: they serve as ever', async (t) => {
  await runProxies(cluster, { isPrepared: false })
  await cluster.kubectl('delete', ...controllersSide)
  await untilServed(cluster, 'web', { proxies: 3, pods: 6, local: 0 })
  const { zones: traffic, failed } = await send(cluster)
  t.equal(failed, 0)
  for (const { zone, byPod } of traffic) t.equal(Object.keys(byPod).length, 6, `${zone}: all pods answer`)
})

/** What zonefirst could leave: in the application's namespace, on pods of all, and objects of its name anywhere. */
async function state() {
  return {
    namespace: await snapshot(cluster, namespace),
    marks: await marksOnPods(cluster),
    objects: await namedZonefirst(cluster),
  }
}

/** Of the pods that opted in: of those before, some may drain still. */
function stamps(): Promise<string> {
  const stamp = "{range .items[*]}{.metadata.name}={.metadata.annotations['zonefirst\\.io/zone']} {end}"
  const optedIn = ['-n', namespace, '-l', 'zonefirst.io/enabled=true']
  return cluster.kubectl('get', 'pods', ...optedIn, '-o', `jsonpath=${stamp}`)
}
