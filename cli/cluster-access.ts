// Which cluster a command is about, as kubectl finds it: by --kubeconfig, KUBECONFIG or ~/.kube/config, and in a pod by its
// own account.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'
import { type Access, accessOf, inCluster } from '../lib/access.ts'
import { Problem } from './problem.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface ClusterChoice {
  kubeconfig: string | undefined
  context: string | undefined
}

export async function findCluster({ kubeconfig, context }: ClusterChoice, env: Environment): Promise<Access> {
  const files = kubeconfigs(kubeconfig, env)
  if (files.length === 0) {
    if (env.KUBERNETES_SERVICE_HOST) return inCluster(env)
    throw new Problem('There is no kubeconfig: name one by --kubeconfig or KUBECONFIG.')
  }
  const config = await load(files)
  if (context !== undefined) {
    if (config.getContextObject(context) === null) {
      const known = config.getContexts().map(({ name }) => name)
      throw new Problem(`The kubeconfig has no context ${context}, it has ${known.join(', ') || 'none'}.`)
    }
    config.setCurrentContext(context)
  }
  if (!config.getCurrentCluster()) {
    throw new Problem('The kubeconfig has no current cluster: choose one by --context.')
  }
  const access = accessOf(config)
  if (!/^https?:$/.test(URL.parse(access.server)?.protocol ?? '')) {
    throw new Problem(`The kubeconfig’s server ${JSON.stringify(access.server)} is no address: correct it.`)
  }
  return {
    server: access.server,
    async options() {
      try {
        return await access.options()
      } catch (error) {
        throw new Problem(`The kubeconfig’s credentials can’t be had: ${(error as Error).message}.`)
      }
    },
  }
}

function kubeconfigs(given: string | undefined, env: Environment): string[] {
  if (given !== undefined) return [given]
  const named = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '')
  if (named.length > 0) return named
  const usual = join(env.HOME ?? homedir(), '.kube', 'config')
  return existsSync(usual) ? [usual] : []
}

async function load(files: readonly string[]): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const merged = new KubeConfig()
  for (const file of files) {
    try {
      const config = new KubeConfig()
      config.loadFromFile(file)
      // the first file's current context is the one
      merged.mergeConfig(config, Boolean(merged.getCurrentContext()))
    } catch (error) {
      // of what the parser says, not the picture that it draws below
      const [reason = ''] = (error as Error).message.split('\n')
      throw new Problem(`The kubeconfig ${file} can’t be read: ${reason}.`)
    }
  }
  return merged
}
