// The definitions of prometheus-operator's objects, from its Go module.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { tools } from './tools.ts'

const moduleName = 'github.com/prometheus-operator/prometheus-operator'

/** The module's folder, downloaded where it isn't there: outside of the namespaces, which have no way out. */
export function prometheusOperatorFolder(): string {
  const cwd = join(tools, 'prometheus-operator')
  const found = execFileSync('go', ['mod', 'download', '-json', moduleName], { cwd, encoding: 'utf8' })
  return (JSON.parse(found) as { Dir: string }).Dir
}

/** Programs that call this import enter-with-prometheus-operator.ts first. */
export async function definePrometheusObjects({ kubectl }: Cluster): Promise<void> {
  const folder = join(prometheusOperatorFolder(), 'example/prometheus-operator-crd')
  const files = ['podmonitors', 'servicemonitors', 'prometheusrules'].flatMap((name) => [
    '-f',
    join(folder, `monitoring.coreos.com_${name}.yaml`),
  ])
  await kubectl('apply', '--server-side', ...files)
  await kubectl('wait', '--for=condition=Established', ...files)
}
