// What zonefirst's programs run on is not as it should be: the clock, the disk for their logs.
import { join } from 'node:path'
import type { V1Container, V1Deployment } from '@kubernetes/client-node'
import { systemNamespace } from '../../../test/scenario/zonefirst.ts'
import { grow, type ProgramName, shrink } from '../acts.ts'
import type { Fault } from '../fault.ts'
import type { System } from '../system.ts'
import { removeAnnotation } from './annotator.ts'

const about = 'zonefirst'
const lateClock = join(import.meta.dirname, '../late-clock.ts')
const containers = new Map<ProgramName, V1Container>()

/** Resolves when all of its pods are such. */
async function change(
  system: System,
  name: ProgramName,
  change: (container: V1Container) => V1Container,
): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${systemNamespace}/deployments/zonefirst-${name}`
  const { spec } = await system.cluster.kube.request<V1Deployment>({ method: 'GET', path })
  const container = spec?.template.spec?.containers[0]
  if (!container) throw new Error(`zonefirst-${name} has no container`)
  containers.set(name, containers.get(name) ?? container)
  await replace(system, name, change(container))
}

async function replace({ cluster }: System, name: ProgramName, value: V1Container): Promise<void> {
  const patch = [{ op: 'replace', path: '/spec/template/spec/containers/0', value }]
  const deployment = `deployment/zonefirst-${name}`
  const inSystem = (...args: string[]) => cluster.kubectl('-n', systemNamespace, ...args)
  await inSystem('patch', deployment, '--type=json', '-p', JSON.stringify(patch))
  await inSystem('rollout', 'status', deployment, '--timeout=60s')
}

async function restoreAll(system: System): Promise<void> {
  for (const [name, container] of containers) await replace(system, name, container)
  containers.clear()
  await shrink(system)
}

export const surroundingsFaults: Fault[] = [
  {
    name: 'clock-late',
    title:
      'the clocks of webhook and annotator are an hour late, somebody removes the annotation, pods are added',
    about,
    async inject(system) {
      const late = (container: V1Container): V1Container => {
        const env = container.env ?? []
        const before = env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? ''
        const value = `${before} --import=${lateClock}`.trim()
        const others = env.filter(({ name }) => name !== 'NODE_OPTIONS')
        return { ...container, env: [...others, { name: 'NODE_OPTIONS', value }] }
      }
      await Promise.all([change(system, 'webhook', late), change(system, 'annotator', late)])
      await removeAnnotation(system)
      await grow(system)
    },
    heal: restoreAll,
  },
  {
    name: 'disk-full',
    title:
      'the disk is full where webhook and annotator log, somebody removes the annotation, pods are added',
    about,
    async inject(system) {
      const toFullDisk = (container: V1Container): V1Container => {
        // in a shell, `node` would be the machine's own
        const words = [...(container.command ?? []), ...(container.args ?? [])]
          .map((word) => (word === 'node' ? process.execPath : word))
          .join(' ')
        return { ...container, command: ['sh', '-c', `exec ${words} >/dev/full 2>&1`], args: [] }
      }
      await Promise.all([change(system, 'webhook', toFullDisk), change(system, 'annotator', toFullDisk)])
      await removeAnnotation(system)
      await grow(system)
    },
    heal: restoreAll,
  },
]
