// Other people than the administrator at the API server, each with exactly the rights that RBAC gives them.
import { fromKubeconfig } from '../../lib/access.ts'
import { connect, type Kube } from '../../lib/kube.ts'
import type { Cluster } from '../cluster/cluster.ts'

export const annotatorUser = 'system:serviceaccount:zonefirst-system:zonefirst-annotator'

/** By impersonation; a service account's groups come with its name. */
export async function actAs(
  cluster: Cluster,
  t: { teardown(action: () => void): void },
  user: string,
): Promise<Kube> {
  const { server, options } = await fromKubeconfig(cluster.kubeconfig)
  const kube = connect({
    server,
    async options() {
      const { headers, ...rest } = await options()
      return { ...rest, headers: { ...headers, 'impersonate-user': user } }
    },
  })
  t.teardown(() => kube.close())
  return kube
}
