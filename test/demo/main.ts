import '../cluster/enter.ts'

// The whole system on a real cluster of three zones, before and after, as one would see it at work: `make demo`.
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Cluster, startCluster } from '../cluster/cluster.ts'
import { runCommand } from '../cluster/command.ts'
import { application, namespace } from '../scenario/application.ts'
import { median } from '../scenario/median.ts'
import { proxies, proxyNamespace, proxyProgram } from '../scenario/proxies.ts'
import type { Pair } from '../scenario/rolling-restart.ts'
import { type Backend, untilServed } from '../scenario/routing.ts'
import { snapshot } from '../scenario/snapshot.ts'
import { measureCrossing, sendFromEveryZone } from '../scenario/traffic.ts'
import { loseZone } from '../scenario/zone-loss.ts'
import { installValidationRules, installZonefirst } from '../scenario/zonefirst.ts'
import { excerpt, speaker } from './steps.ts'

const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c']
const responseBytes = 64 * 1024
const requestsPerZone = 200
const lossRuns = 2
const say = speaker(process.stdout)
const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const rounded = (share: number) => Math.round(share * 10_000) / 10_000

async function demo(cluster: Cluster): Promise<object> {
  const program = proxyProgram(process.env)
  const haproxy = process.env.HAPROXY ?? ''

  await say.step('start an ingress controller in each zone and an application of six pods', async () => {
    await installValidationRules(cluster, program)
    await cluster.apply(proxies({ program, haproxy, kubeconfig: cluster.kubeconfig }))
    await cluster.apply(application({ replicas: 6, optedIn: false }))
    await rollouts(cluster)
    await untilServed(cluster, 'web', { proxies: 3, pods: 6, local: 0 })
  })
  const pristine = await snapshot(cluster, namespace)
  const before = await say.step('without zonefirst: 600 requests of 64 KiB', () => measure(cluster))
  showTraffic(before)

  // a grace time that outlasts the rollout of the opt-out: the real controller, run without its process supervisor, may
  // lose a change of endpoints that comes just after a reload
  await say.step('install zonefirst: webhook, annotator, certificates, admission policies', () =>
    installZonefirst(cluster, {
      annotatorEnv: { ZONEFIRST_GRACE_TIME: '10s', ZONEFIRST_RELEASE_TIME: '3s' },
    }),
  )
  const six = await say.step(
    'opt in: a label on the pod template; the ingress controllers restart to learn their zone',
    async () => {
      await cluster.apply(application({ replicas: 6, optedIn: true }))
      await cluster.kubectl('-n', proxyNamespace, 'rollout', 'restart', 'daemonset')
      await rollouts(cluster)
      return untilServed(cluster, 'web', { proxies: 3, pods: 6, local: 2 })
    },
  )
  await showDescriptions(cluster)
  const after = await say.step('with zonefirst: 600 requests of 64 KiB', () => measure(cluster))
  showTraffic(after)
  showBackends(six)

  const scaleUp = await say.step('scale up from 6 to 12 pods', async () => {
    await cluster.kubectl('scale', 'deployment/web', '--replicas=12')
    const twelve = await untilServed(cluster, 'web', { proxies: 3, pods: 12, local: 4 })
    showBackends(twelve)
    return { reloads: countReloads(six, twelve), backupFlagsRight: twelve.every(flagsAreRight) }
  })
  say.note(`reloads: ${scaleUp.reloads}; active and backup as they should be: ${scaleUp.backupFlagsRight}`)

  const losses: Pair[] = []
  for (let run = 1; run <= lossRuns; run++) {
    const title = `all pods of ${zones[0]} vanish silently under load, then return (${run} of ${lossRuns})`
    const loss = await say.step(title, () =>
      loseZone(cluster, { zone: zones[0] ?? '', rate: 40, seconds: 7 }),
    )
    say.note(
      `of ${loss.without.requests} requests failed: ${loss.withZonefirst.failed} with zonefirst, ${loss.without.failed} without, on the same pods at the same time`,
    )
    losses.push(loss)
  }

  const restored = await say.step(
    'opt out: the label goes, and everything that zonefirst wrote',
    async () => {
      await cluster.apply(application({ replicas: 12, optedIn: false }))
      await rollouts(cluster)
      await untilServed(cluster, 'web', { proxies: 3, pods: 12, local: 0 })
      await cluster.until('the zonal Services are gone', async () => {
        return !(await cluster.kubectl('get', 'services', '-o', 'name')).includes('web-in-')
      })
      return isDeepStrictEqual(await snapshot(cluster, namespace), pristine)
    },
  )
  say.note(`Service and namespace as before the opt-in: ${restored}`)

  return {
    kubernetes: await serverVersion(cluster),
    haproxy: /\d+\.\d+\.\d+/.exec(await runCommand([haproxy, '-v']))?.[0] ?? 'unknown',
    ingressController: program.name,
    crossZone: {
      before: { requests: rounded(before.traffic.crossedRequests), bytes: rounded(before.crossedBytes) },
      after: { requests: rounded(after.traffic.crossedRequests), bytes: rounded(after.crossedBytes) },
    },
    scaleUp,
    zoneLoss: {
      requests: losses[0]?.without.requests,
      failed: median(losses.map(({ withZonefirst }) => withZonefirst.failed)),
      failedWithoutZonefirst: median(losses.map(({ without }) => without.failed)),
      runs: losses.map(({ withZonefirst, without }) => ({
        requests: without.requests,
        failed: withZonefirst.failed,
        failedWithoutZonefirst: without.failed,
        p99Ms: withZonefirst.p99Ms,
        p99MsWithoutZonefirst: without.p99Ms,
      })),
    },
    optOut: { restored },
  }
}

type Measured = Awaited<ReturnType<typeof measureCrossing>>

function measure(cluster: Cluster): Promise<Measured> {
  const load = { path: `/bytes/${responseBytes}`, requests: requestsPerZone, connections: 4, timeout: 10_000 }
  return measureCrossing(cluster, () => sendFromEveryZone(cluster, 'web', load))
}

async function rollouts(cluster: Cluster): Promise<void> {
  await cluster.kubectl('rollout', 'status', 'deployment/web', '--timeout=90s')
  await cluster.kubectl('-n', proxyNamespace, 'rollout', 'status', 'daemonset', '--timeout=90s')
}

async function serverVersion({ kube }: Cluster): Promise<string> {
  return (await kube.request<{ gitVersion: string }>({ method: 'GET', path: '/version' })).gitVersion
}

function countReloads(before: readonly Backend[], after: readonly Backend[]): number {
  const started = new Map(before.map(({ proxy, workerStart }) => [proxy.pod, workerStart]))
  return after.filter(({ proxy, workerStart }) => started.get(proxy.pod) !== workerStart).length
}

function flagsAreRight({ controllers, local }: Backend): boolean {
  return (
    controllers.every(({ isActive, isBackup }) => isBackup && !isActive) &&
    local.every(({ isActive, isBackup }) => isActive && !isBackup)
  )
}

function showTraffic({ traffic, crossedBytes }: Measured): void {
  say.table(
    ['ingress controller in', 'requests', 'failed', 'answered by its own zone', 'by other zones'],
    traffic.zones.map(({ zone, requests, failed, crossed }) => [
      zone,
      requests,
      failed,
      requests - failed - crossed,
      crossed,
    ]),
  )
  say.note(
    `left their zone: ${percent(traffic.crossedRequests)} of the requests, ${percent(crossedBytes)} of the bytes (kernel counters)`,
  )
}

function showBackends(backends: readonly Backend[]): void {
  const count = (servers: Backend['local'], kind: 'isActive' | 'isBackup') =>
    servers.filter((each) => each[kind]).length
  say.table(
    ['HAProxy in', 'SRV_n active', 'SRV_n backup', 'local-n active', 'local-n backup'],
    backends.map(({ proxy, controllers, local }) => [
      proxy.zone,
      count(controllers, 'isActive'),
      count(controllers, 'isBackup'),
      count(local, 'isActive'),
      count(local, 'isBackup'),
    ]),
  )
}

async function showDescriptions(cluster: Cluster): Promise<void> {
  const [pod = ''] = (await cluster.kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')).trim().split('\n')
  const described = await cluster.kubectl('describe', pod)
  say.show(
    `kubectl describe ${pod}`,
    `${excerpt(described, /^Labels:/)}\n${excerpt(described, /^Annotations:/)}`,
  )
  const service = await cluster.kubectl('describe', 'service', 'web')
  say.show(
    'kubectl describe service web',
    `${excerpt(service, /^Annotations:/)}\n${excerpt(service, /^Events:/)}`,
  )
}

function showResult(result: object, path: string): void {
  const flat = (value: unknown, name: string): [string, string][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, each]) => flat(each, name === '' ? key : `${name}.${key}`))
      : [[name, Array.isArray(value) ? `${value.length} runs` : String(value)]]
  say.table(['result', path], flat(result, ''))
}

async function main(): Promise<void> {
  const startedAt = performance.now()
  const { name, isReal } = proxyProgram(process.env)
  say.note(`ingress controller: ${isReal ? `the real one, ${name}` : 'the project’s stand-in'}`)
  const cluster = await say.step(
    'start etcd, API server, scheduler, controller-manager, CoreDNS, three zones',
    () => startCluster({ zones }),
  )
  try {
    const result = { ...(await demo(cluster)), seconds: Math.round((performance.now() - startedAt) / 1_000) }
    await mkdir('build', { recursive: true })
    await writeFile('build/demo.json', `${JSON.stringify(result, null, 2)}\n`)
    showResult(result, 'build/demo.json')
    if (process.env.KEEP) await keep(cluster)
  } catch (error) {
    say.note(`failed: ${(error as Error).message}`)
    process.exitCode = 1
  } finally {
    await cluster.stop()
  }
}

async function keep(cluster: Cluster): Promise<void> {
  const enter = `nsenter --preserve-credentials -U -n -m -t "$(cat /proc/${process.env.ZONEFIRST_OUTER_PID}/task/*/children)"`
  say.note('the cluster stays until Ctrl-C; from another terminal:')
  say.note(`  ${enter} env KUBECONFIG=${cluster.kubeconfig} .cache/bin/kubectl get pods -A -o wide`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

await main()
process.exit()
