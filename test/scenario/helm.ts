// Helm as its users run it, as administrator of the test cluster.
import { join } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import { runCommand } from '../cluster/command.ts'
import { bin, searchPath } from '../cluster/tools.ts'
import { systemNamespace } from './zonefirst.ts'

/** The release and its chart, for `helm install` and `helm upgrade`, which return when all is ready. */
export const release = ['zonefirst', 'manifests/chart', '--wait', '--timeout=120s']

/** Values that replace every pod. */
export const replaceEveryPod = ['webhook', 'annotator', 'certs'].map(
  (program) => `--set-string=${program}.podAnnotations.round=2`,
)

/** Another one than the tools bring may be named. */
const program = process.env.HELM || join(bin, 'helm')

/** Programs that call this import enter-with-helm.ts first. */
export function helm(cluster: Cluster, ...args: string[]): Promise<string> {
  return runCommand([program, '--namespace', systemNamespace, ...args], {
    env: { PATH: searchPath, HOME: cluster.folder, KUBECONFIG: cluster.kubeconfig },
  })
}

/** Such as v3.22; a build of the module alone knows no more. */
export async function helmVersion(cluster: Cluster): Promise<string> {
  return (await helm(cluster, 'version', '--template', '{{.Version}}')).trim()
}
