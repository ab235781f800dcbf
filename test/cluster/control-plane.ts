// etcd, kube-apiserver, kube-scheduler, kube-controller-manager and CoreDNS, as real programs: their flags and the
// order of their start. What CoreDNS needs in the API is dns.ts's.
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { accessOf } from '../../lib/access.ts'
import { connect, type Kube } from '../../lib/kube.ts'
import { type Component, createComponent } from './component.ts'
import { type Credentials, createCredentials, type User } from './credentials.ts'
import { createDNSObjects, isDNSReady, writeCorefile } from './dns.ts'
import { apiServerAddress } from './network.ts'
import { bin } from './tools.ts'
import { until } from './until.ts'

export type ComponentName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-scheduler'
  | 'kube-controller-manager'
  | 'coredns'

export interface ControlPlaneOptions {
  folder: string
  /** Of the API server, such as { PodTopologyLabelsAdmission: false }. */
  featureGates?: Record<string, boolean> | undefined
  /** More of the API server's command line. */
  apiServerFlags?: readonly string[] | undefined
  onUnexpectedEnd: (error: Error) => void
}

export interface ControlPlane {
  readonly components: Readonly<Record<ComponentName, Component>>
  kubeconfig(user: User): string
  connectAs(user: User): Kube
  /** Resolves when the API server and CoreDNS serve. */
  ready(): Promise<void>
  stop(): Promise<void>
}

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { folder, featureGates = {}, apiServerFlags: moreFlags = [], onUnexpectedEnd } = options
  const failure = new AbortController()
  const { signal } = failure
  await mkdir(join(folder, 'logs'), { recursive: true })
  const credentials = await createCredentials(folder)
  const corefile = await writeCorefile(folder, credentials.kubeconfig('coredns'))
  const component = (name: ComponentName, ...args: string[]) =>
    createComponent({
      name,
      argv: [join(bin, name), ...args],
      log: join(folder, 'logs', `${name}.log`),
      onUnexpectedEnd(error) {
        failure.abort(error)
        onUnexpectedEnd(error)
      },
    })
  const components: Record<ComponentName, Component> = {
    etcd: component('etcd', ...etcdFlags(folder)),
    'kube-apiserver': component(
      'kube-apiserver',
      ...apiServerFlags(folder, credentials, featureGates),
      ...moreFlags,
    ),
    'kube-scheduler': component('kube-scheduler', ...clientFlags(credentials.kubeconfig('scheduler'))),
    'kube-controller-manager': component('kube-controller-manager', ...controllerManagerFlags(credentials)),
    coredns: component('coredns', '-conf', corefile),
  }
  const clients: Kube[] = []
  const connectAs = (user: User) => {
    const config = new KubeConfig()
    config.loadFromFile(credentials.kubeconfig(user))
    const client = connect(accessOf(config))
    clients.push(client)
    return client
  }

  components.etcd.start()
  components['kube-apiserver'].start()
  await until('the API server has written its certificate', () => isWritten(credentials.certificate), {
    signal,
  })
  await credentials.writeKubeconfigs()
  const kube = connectAs('admin')
  const ready = async () => {
    await until('the API server is ready', () => isAPIServerReady(kube), { signal })
    await until('CoreDNS is ready', isDNSReady, { signal })
  }
  await until('the API server is ready', () => isAPIServerReady(kube), { signal })
  for (const name of ['kube-controller-manager', 'kube-scheduler', 'coredns'] as const)
    components[name].start()
  await createDNSObjects(kube)
  await ready()

  return {
    components,
    kubeconfig: credentials.kubeconfig,
    connectAs,
    ready,
    async stop() {
      for (const client of clients) client.close()
      await Promise.all(Object.values(components).map((component) => component.stop()))
    },
  }
}

function etcdFlags(folder: string): string[] {
  return [`--data-dir=${join(folder, 'etcd')}`, '--unsafe-no-fsync', '--log-level=warn']
}

function apiServerFlags(folder: string, credentials: Credentials, gates: Record<string, boolean>): string[] {
  const featureGates = Object.entries(gates).map(([name, on]) => `${name}=${on}`)
  return [
    '--etcd-servers=http://127.0.0.1:2379',
    '--secure-port=443',
    `--advertise-address=${apiServerAddress}`,
    `--cert-dir=${folder}`,
    `--token-auth-file=${credentials.tokenFile}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${credentials.serviceAccountPublicKey}`,
    `--service-account-signing-key-file=${credentials.serviceAccountKey}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    // there is no kube-proxy: webhooks and aggregated APIs are called at their endpoints' addresses
    '--enable-aggregator-routing=true',
    '--allow-privileged=true',
    ...(featureGates.length > 0 ? [`--feature-gates=${featureGates.join(',')}`] : []),
  ]
}

function clientFlags(kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
  ]
}

function controllerManagerFlags(credentials: Credentials): string[] {
  return [
    ...clientFlags(credentials.kubeconfig('controller-manager')),
    `--root-ca-file=${credentials.certificate}`,
    `--service-account-private-key-file=${credentials.serviceAccountKey}`,
  ]
}

async function isWritten(file: string): Promise<boolean> {
  return (await stat(file)).size > 0
}

async function isAPIServerReady(kube: Kube): Promise<boolean> {
  const answer = await kube.stream({ method: 'GET', path: '/readyz', signal: AbortSignal.timeout(2_000) })
  answer.resume()
  return answer.statusCode === 200
}
