// From `helm install` to `helm uninstall` with traffic: none is lost on the way, and in the end all is as it was.
import '../cluster/enter-with-helm.ts'
import t from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { namespace } from '../scenario/application.ts'
import { helm, release, replaceEveryPod } from '../scenario/helm.ts'
import { untilServed } from '../scenario/routing.ts'
import { snapshot } from '../scenario/snapshot.ts'
import { installValidationRules, systemNamespace } from '../scenario/zonefirst.ts'
import { program, runApplication, runProxies, send, sendDuring, untilRouted, zones } from './system.ts'

/** Opting out by the pod template is a rollout, which the pods have to end well. */
const drainTime = 5
const quick = ['graceTime', 'releaseTime'].map((name) => `--set=annotator.settings.${name}=5s`)
const stamp = "{range .items[*]}{.metadata.name}={.metadata.annotations['zonefirst\\.io/zone']} {end}"
const values = ['--set=certificates.mode=self-managed', ...quick]

const cluster = await startCluster({ zones })
t.teardown(() => cluster.stop())
t.comment(`ingress controller: ${program.name}`)
await installValidationRules(cluster, program)
await runApplication(cluster, { optedIn: false, drainTime })
const before = await snapshot(cluster, namespace)

t.test('installed, and an application opted in: its traffic stays in its zone', async (t) => {
  await helm(cluster, 'install', ...release, ...values, '--create-namespace')
  await runApplication(cluster, { drainTime })
  await runProxies(cluster)
  await untilRouted(cluster)
  const { crossedRequests, failed } = await send(cluster)
  t.strictSame({ crossedRequests, failed }, { crossedRequests: 0, failed: 0 })
})

t.test('helm upgrade that replaces every pod of zonefirst: no request is lost, and no stamp', async (t) => {
  // of those before, some may drain still
  const optedIn = ['-n', namespace, '-l', 'zonefirst.io/enabled=true']
  const stamps = () => cluster.kubectl('get', 'pods', ...optedIn, '-o', `jsonpath=${stamp}`)
  const stamped = await stamps()
  const { failures, requests } = await sendDuring(cluster, async () => {
    await helm(cluster, 'upgrade', ...release, ...values, ...replaceEveryPod)
  })
  t.strictSame(failures, {})
  t.ok(requests > 100, `${requests} requests meanwhile`)
  t.equal(await stamps(), stamped)
  await untilRouted(cluster)
  t.equal((await send(cluster)).crossedRequests, 0)
})

t.test('opted out and uninstalled: no request is lost, and all is as it was', async (t) => {
  const { failures } = await sendDuring(cluster, async () => {
    await runApplication(cluster, { optedIn: false, drainTime })
    await untilServed(cluster, 'web', { proxies: 3, pods: 6, local: 0 })
    await cluster.until('the zonal Services are gone', async () => {
      return !(await cluster.kubectl('get', 'services', '-o', 'name')).includes('web-in-')
    })
    await helm(cluster, 'uninstall', 'zonefirst', '--wait')
    await cluster.kubectl('delete', 'namespace', systemNamespace)
  })
  t.strictSame(failures, {})
  t.strictSame(await snapshot(cluster, namespace), before)
  const { zones: traffic } = await send(cluster)
  for (const { zone, byPod } of traffic) t.equal(Object.keys(byPod).length, 6, `${zone}: all pods answer`)
})
