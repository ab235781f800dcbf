// Where the API server is and with what credentials to ask it: a pod's own service account, or a kubeconfig file.
// client-node, which reads kubeconfigs, is loaded only for one: it costs a pod 60 MiB and doubles its time to ready.
import { readFile } from 'node:fs/promises'
import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'

export interface Access {
  /** Such as `https://10.96.0.1:443`. */
  server: string
  /** TLS options and headers of one request, and an agent where it has to go through a proxy. */
  options(): Promise<RequestOptions>
}

type Environment = Readonly<Record<string, string | undefined>>

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'
// the kubelet renews tokens long before they end, as client-go counts on as well
const rereadAfterMs = 60_000

/** An empty `kubeconfig` means the pod's own service account; throws where there is none. */
export async function findAccess(kubeconfig: string, env: Environment): Promise<Access> {
  return kubeconfig === '' ? inCluster(env) : fromKubeconfig(kubeconfig)
}

export function inCluster(env: Environment, folder = serviceAccountFolder): Access {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env
  if (!host || !port) {
    throw new Error(
      'not in a pod: KUBERNETES_SERVICE_HOST is not set; give a kubeconfig by ZONEFIRST_KUBECONFIG',
    )
  }
  let options: Promise<RequestOptions> | undefined
  let readAt = 0
  const read = async (): Promise<RequestOptions> => {
    const [token, ca] = await Promise.all(
      ['token', 'ca.crt'].map((name) => readFile(`${folder}/${name}`, 'utf8')),
    )
    return { ca, headers: { authorization: `Bearer ${token?.trim()}` } }
  }
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    options() {
      if (options === undefined || performance.now() - readAt > rereadAfterMs) {
        readAt = performance.now()
        options = read()
        options.catch(() => {
          options = undefined
        })
      }
      return options
    },
  }
}

export async function fromKubeconfig(file: string): Promise<Access> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromFile(file)
  return accessOf(config)
}

export function accessOf(config: KubeConfig): Access {
  const cluster = config.getCurrentCluster()
  if (!cluster) throw new Error('the kubeconfig has no current cluster: set its current-context')
  return {
    server: cluster.server,
    async options() {
      const options: RequestOptions = { headers: {} }
      await config.applyToHTTPSOptions(options)
      // client-node's own agent opens a connection for each request: it is kept only where it goes through a proxy
      const { agent, ...rest } = options
      return cluster.proxyUrl ? options : rest
    },
  }
}
