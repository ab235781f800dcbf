// The ingress controllers of demo and end-to-end tests, one a Node: the real one where ZONEFIRST_INGRESS_CONTROLLER
// names its program, the project's stand-in otherwise. One command line starts either.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { KubeObject } from '../../lib/kube.ts'

export const proxyNamespace = 'haproxy-controller'
export const statsPort = 1024

export interface ProxyProgram {
  path: string
  /** how it is named in results */
  name: string
  isReal: boolean
}

export type ZoneVariable = 'ZONE' | 'ZONE_RESOLVERS'

export interface ZoneOptions {
  /** Variables of the container that are left out, to see what happens. */
  without?: readonly ZoneVariable[]
  /** Variables that are there and empty. */
  empty?: readonly ZoneVariable[]
}

export interface ProxyOptions extends ZoneOptions {
  program: ProxyProgram
  haproxy: string
  kubeconfig: string
  /** More of the command line. */
  flags?: readonly string[]
  /** False: without anything of zonefirst's side. */
  isPrepared?: boolean
  syncPeriod?: string
}

const standIn = '.cache/bin/ingress-controller-standin'

export function proxyProgram(env: NodeJS.ProcessEnv): ProxyProgram {
  const path = env.ZONEFIRST_INGRESS_CONTROLLER
  if (!path) return { path: standIn, name: 'stand-in', isReal: false }
  return { path, name: versionOf(path), isReal: true }
}

export function proxies({
  program,
  haproxy,
  kubeconfig,
  flags: moreFlags = [],
  isPrepared = true,
  syncPeriod = '1s',
  ...zoneOptions
}: ProxyOptions): KubeObject[] {
  const flags = [
    '--external',
    `--program=${haproxy}`,
    '--config-dir=/run/haproxy/cfg',
    '--runtime-dir=/run/haproxy/run',
    '--kubeconfig=/run/kube/config',
    '--ingress.class=haproxy',
    `--configmap=${proxyNamespace}/haproxy-kubernetes-ingress`,
    ...(isPrepared ? [`--custom-validation-rules=${proxyNamespace}/zonefirst`] : []),
    '--ipv4-bind-address=$POD_IP',
    '--http-bind-port=80',
    '--disable-ipv6',
    '--disable-https',
    '--disable-quic',
    '--disable-ingress-status-update',
    `--sync-period=${syncPeriod}`,
    ...moreFlags,
  ]
  // the auxiliary file has to be there before the controller starts
  const script = [
    'mkdir -p /run/haproxy/cfg /run/haproxy/run',
    'cp /run/files/haproxy-aux.cfg /run/haproxy/cfg/',
    `exec ${program.path} ${flags.join(' ')}`,
  ]
  return proxyObjects({
    ...(isPrepared ? zoneOptions : { without: ['ZONE', 'ZONE_RESOLVERS'] }),
    kubeconfig,
    controller: 'haproxy.org/ingress-controller/haproxy',
    configMap: { 'haproxy-aux.cfg': isPrepared ? resolversSection() : '' },
    script,
    healthzPort: 1042,
  })
}

/** The section that ZONE_RESOLVERS names, as administrators get it. */
export function resolversSection(): string {
  return readFileSync('manifests/ingress-controller/haproxy-aux.cfg', 'utf8')
}

interface ProxyObjectsOptions extends ZoneOptions {
  kubeconfig: string
  /** `spec.controller` of the IngressClass */
  controller: string
  /** what the ConfigMap "haproxy-ingress" holds, in the container under /run/files */
  configMap: Record<string, string>
  /** shell commands that start the controller */
  script: readonly string[]
  healthzPort: number
}

/** What any ingress controller needs around it, and one pod of it a Node. */
export function proxyObjects({
  kubeconfig,
  controller,
  configMap,
  script,
  healthzPort,
  without = [],
  empty = [],
}: ProxyObjectsOptions): KubeObject[] {
  const fieldEnv = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } })
  const env = [
    fieldEnv('POD_NAME', 'metadata.name'),
    fieldEnv('POD_NAMESPACE', 'metadata.namespace'),
    fieldEnv('POD_IP', 'status.podIP'),
    fieldEnv('ZONE', "metadata.annotations['zonefirst.io/zone-key']"),
    { name: 'ZONE_RESOLVERS', value: 'zonefirst' },
  ]
    .filter(({ name }) => !without.some((each) => each === name))
    .map((variable) =>
      empty.some((each) => each === variable.name) ? { name: variable.name, value: '' } : variable,
    )
  const labels = { app: 'haproxy-ingress', 'zonefirst.io/enabled': 'true', 'zonefirst.io/role': 'proxy' }
  const container = {
    name: 'controller',
    image: 'example.test/ingress-controller',
    command: ['sh', '-c', script.join(' && ')],
    env,
    ports: [{ name: 'http', containerPort: 80 }],
    readinessProbe: { httpGet: { path: '/healthz', port: healthzPort }, periodSeconds: 1 },
    volumeMounts: [
      { name: 'files', mountPath: '/run/files' },
      { name: 'kubeconfig', mountPath: '/run/kube' },
    ],
  }
  const metadata = { namespace: proxyNamespace }
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: proxyNamespace } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, name: 'haproxy-ingress' },
      data: configMap,
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...metadata, name: 'kubeconfig' },
      stringData: { config: readFileSync(kubeconfig, 'utf8') },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'haproxy' },
      spec: { controller },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { ...metadata, name: 'haproxy-kubernetes-ingress' },
      spec: {
        selector: { matchLabels: { app: 'haproxy-ingress' } },
        template: {
          metadata: { labels },
          spec: {
            terminationGracePeriodSeconds: 5,
            containers: [container],
            volumes: [
              { name: 'files', configMap: { name: 'haproxy-ingress' } },
              { name: 'kubeconfig', secret: { secretName: 'kubeconfig' } },
            ],
          },
        },
      },
    },
  ] as KubeObject[]
}

function versionOf(program: string): string {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return /v?\d+\.\d+\.\d+\S*/.exec(text)?.[0] ?? 'unknown version'
}
