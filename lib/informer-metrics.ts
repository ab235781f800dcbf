// Metrics of informers, the same in both programs.
import { Gauge, type Registry } from 'prom-client'
import type { Informer } from './informer.ts'

export function registerInformerMetrics(
  registry: Registry,
  informers: Readonly<Record<string, Pick<Informer<unknown>, 'lastHeard' | 'size'>>>,
): void {
  new Gauge({
    name: 'zonefirst_informer_last_heard_timestamp_seconds',
    help: 'When the API server was last heard of: bookmarks come about once a minute, so older than 3 minutes is stale.',
    labelNames: ['informer'],
    registers: [registry],
    collect() {
      for (const [name, informer] of Object.entries(informers)) {
        this.set({ informer: name }, informer.lastHeard / 1000)
      }
    },
  })
  new Gauge({
    name: 'zonefirst_informer_objects',
    help: 'Objects in the cache.',
    labelNames: ['informer'],
    registers: [registry],
    collect() {
      for (const [name, informer] of Object.entries(informers)) this.set({ informer: name }, informer.size)
    },
  })
}
