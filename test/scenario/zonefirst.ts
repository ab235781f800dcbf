// Installs zonefirst as its users do: the manifests as they are, with self-managed certificates, since cert-manager is
// not in the cluster. Settings of the programs can be changed by environment, as with `kubectl set env`.
import type { Cluster } from '../cluster/cluster.ts'
import { runCommand } from '../cluster/command.ts'
import { type ProxyProgram, proxyNamespace } from './proxies.ts'

export const systemNamespace = 'zonefirst-system'
const selfManaged = 'manifests/install-self-managed.yaml'

export interface InstallOptions {
  annotatorEnv?: Record<string, string>
  webhookEnv?: Record<string, string>
}

export async function installZonefirst(cluster: Cluster, options: InstallOptions = {}): Promise<void> {
  await cluster.kubectl('apply', '-f', selfManaged)
  await setEnv(cluster, 'zonefirst-annotator', options.annotatorEnv)
  await setEnv(cluster, 'zonefirst-webhook', options.webhookEnv)
  await untilInstalled(cluster)
}

/** Until webhook and annotator are rolled out. */
export async function untilInstalled(cluster: Cluster): Promise<void> {
  for (const name of ['zonefirst-webhook', 'zonefirst-annotator']) {
    const status = ['rollout', 'status', `deployment/${name}`, '--timeout=90s']
    await cluster.kubectl('-n', systemNamespace, ...status).catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await lastLines(cluster, name)}`, { cause: error })
    })
  }
}

/** What the pods of a Deployment printed last: why they don't get ready is told nowhere else. */
async function lastLines(cluster: Cluster, deployment: string): Promise<string> {
  const names = (await cluster.kubectl('-n', systemNamespace, 'get', 'pods', '-o', 'name')).split('\n')
  const own = names.filter((each) => each.startsWith(`pod/${deployment}-`)).map((each) => each.slice(4))
  const logs = own.map((name) => cluster.kubelet.logs({ metadata: { namespace: systemNamespace, name } }))
  const texts = (await Promise.allSettled(logs)).map((each) =>
    each.status === 'fulfilled' ? each.value.trim().split('\n').slice(-3).join('\n') : String(each.reason),
  )
  return own.map((name, index) => `${name}: ${texts[index]}`).join('\n')
}

type Component = 'namespace' | 'webhook' | 'webhook-configuration' | 'annotator' | 'certs' | 'policies'

/** Flags that name a part of what is installed, for `kubectl apply` and `kubectl delete`. */
export function partOfZonefirst(...components: Component[]): string[] {
  return ['-f', selfManaged, '-l', `app.kubernetes.io/component in (${components.join(',')})`]
}

/** Flags that name the objects in the ingress controller's namespace, for `kubectl apply` and `kubectl delete`. */
export const controllersSide = ['validation-rules', 'annotator-role'].flatMap((name) => [
  '-f',
  `manifests/ingress-controller/${name}.yaml`,
])

/** The controller's side: what an administrator adds to the ingress controller's namespace. */
export async function installValidationRules(cluster: Cluster, program: ProxyProgram): Promise<void> {
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: proxyNamespace } })
  // the real controller brings its own definitions
  if (program.isReal) {
    await runCommand([program.path, '--external', `--kubeconfig=${cluster.kubeconfig}`, '--job-check-crd'])
  } else {
    await cluster.kubectl('apply', '-f', 'test/tools/ingress-controller/validation-rules-crd.yaml')
  }
  // kubectl fails on a definition that has no conditions yet
  await cluster.until('ValidationRules are known', () =>
    cluster.kubectl('wait', '--for=condition=Established', 'crd/validationrules.ingress.v3.haproxy.org'),
  )
  await cluster.kubectl('apply', ...controllersSide)
}

async function setEnv(cluster: Cluster, name: string, env: Record<string, string> = {}): Promise<void> {
  const pairs = Object.entries(env).map(([key, value]) => `${key}=${value}`)
  if (pairs.length > 0)
    await cluster.kubectl('-n', systemNamespace, 'set', 'env', `deployment/${name}`, ...pairs)
}
