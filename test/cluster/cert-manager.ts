// A cert-manager in the cluster: its definitions from its Go module, its controller and its CA injector as real programs.
// They run beside the control plane, as administrator: whether its own RBAC suffices is not this project's affair.
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { runCommand } from './command.ts'
import type { Component } from './component.ts'
import { bin, certManagerPrograms, moduleFolder, type Program } from './tools.ts'

const moduleName = 'github.com/cert-manager/cert-manager'

export interface CertManager {
  readonly controller: Component
  /** Puts a CA injector with other feature gates in the place of the one that runs. */
  replaceInjector(featureGates: string): Promise<void>
}

/** Programs that call this import enter-with-cert-manager.ts first. */
export async function startCertManager(cluster: Cluster): Promise<CertManager> {
  const folder = await findModule()
  await cluster.kubectl('apply', '--server-side', '-f', join(folder, 'deploy/crds'))
  await cluster.kubectl('wait', '--for=condition=Established', '-f', join(folder, 'deploy/crds'))
  const start = (name: string, ...args: string[]) =>
    cluster.startProgram(name, ['env', `KUBECONFIG=${cluster.kubeconfig}`, join(bin, name), ...args])
  const controller = start('cert-manager-controller')
  let injector = start('cert-manager-ca-injector')
  return {
    controller,
    async replaceInjector(featureGates) {
      await injector.stop()
      injector = start('cert-manager-ca-injector', `--feature-gates=${featureGates}`)
    },
  }
}

async function findModule(): Promise<string> {
  const cwd = moduleFolder(certManagerPrograms[0] as Program)
  const folder = (await runCommand(['go', 'list', '-m', '-f', '{{.Dir}}', moduleName], { cwd })).trim()
  if (folder === '')
    throw new Error(`${moduleName} is not in Go's module cache: run go mod download in ${cwd}`)
  return folder
}
