// What people and their tools do to what zonefirst keeps.
import { setTimeout as pause } from 'node:timers/promises'
import { onBothSides } from '../acts.ts'
import type { Fault } from '../fault.ts'
import { withZonefirst } from '../sides.ts'
import { install, runApplication, type System, zones } from '../system.ts'

const about = 'people'
const key = 'backend.zonefirst.io/servers'
const { namespace } = withZonefirst
const binding = 'validatingadmissionpolicybinding/zonefirst-zonal-names'
const inShop = ({ cluster }: System, ...args: string[]) => cluster.kubectl('-n', namespace, ...args)
const service = async (system: System, name: string) =>
  JSON.parse(await inShop(system, 'get', 'service', name, '-o', 'json'))

/** Where the admission policies do their work, it throws. */
async function tryTo(act: Promise<unknown>): Promise<void> {
  await act.catch(() => {})
}

export const peopleFaults: Fault[] = [
  {
    name: 'annotation-changed',
    title: 'somebody edits our annotation, removes it, and pastes it to another Service',
    about,
    seconds: 5,
    async inject(system) {
      const text = (await service(system, 'web')).metadata.annotations[key]
      await tryTo(inShop(system, 'annotate', '--overwrite', 'service/web', `${key}={"name":"x","slots":8}`))
      await inShop(system, 'annotate', 'service/web', `${key}-`)
      await tryTo(inShop(system, 'create', 'service', 'clusterip', 'pasted', '--tcp=80:8080'))
      await tryTo(inShop(system, 'annotate', 'service/pasted', `${key}=${text}`))
    },
    heal: async (system) => void (await inShop(system, 'delete', '--ignore-not-found', 'service/pasted')),
  },
  {
    name: 'zonal-service-deleted',
    title: 'somebody deletes a zonal Service, and then all of them',
    about,
    seconds: 5,
    async inject(system) {
      await inShop(system, 'delete', 'service', `web-in-${zones[0]}`)
      await pause(3_000)
      await inShop(system, 'delete', 'service', '-l', 'zonefirst.io/zonal-service')
    },
  },
  {
    name: 'reverted',
    title: 'a GitOps tool takes our annotation away ten times a minute, for 30 s',
    about,
    async inject(system) {
      for (let time = 0; time < 5; time++) {
        await tryTo(inShop(system, 'annotate', 'service/web', `${key}-`))
        await pause(6_000)
      }
    },
  },
  {
    name: 'name-taken',
    title:
      'somebody without our admission policies deletes a zonal Service ten times, to create one of their own in its place',
    about,
    seconds: 5,
    async inject(system) {
      await system.cluster.kubectl('delete', binding)
      await pause(2_000)
      const name = `web-in-${zones[0]}`
      // the annotator may be quicker
      for (let time = 0; time < 10; time++) {
        await inShop(system, 'delete', 'service', name)
        await tryTo(inShop(system, 'create', 'service', 'clusterip', name, '--tcp=8080:8080'))
        const { metadata } = await service(system, name)
        if (metadata.labels?.['zonefirst.io/zonal-service'] === undefined) return
      }
    },
    async heal(system) {
      const isForeign = '!zonefirst.io/zonal-service'
      await inShop(system, 'delete', 'service', '-l', `app=web-in-${zones[0]},${isForeign}`)
      await install(system.cluster)
    },
  },
  {
    name: 'namespace-deleted',
    title: 'the application’s namespace deleted, and made again',
    about,
    inject: ({ cluster }) =>
      onBothSides((side) => cluster.kubectl('delete', 'namespace', side.namespace, '--timeout=60s')),
    heal: ({ cluster }) => onBothSides((side) => runApplication(cluster, side)),
  },
  {
    name: 'zonefirst-deleted',
    title: 'zonefirst’s namespace deleted, and zonefirst installed again',
    about,
    seconds: 5,
    inject: async ({ cluster }) =>
      void (await cluster.kubectl('delete', 'namespace', 'zonefirst-system', '--timeout=60s')),
    heal: ({ cluster }) => install(cluster),
  },
]
