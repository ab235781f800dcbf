// What the annotator writes for generated clusters, hostile ones too, is text that HAProxy takes: with the HAProxy of the other
// tests, and with the one that HAPROXY_NEWEST names. The custom annotation goes through the rule that is installed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { Ingress, Service } from '../../annotator/objects.ts'
import { prepare } from '../cluster/prepare.ts'
import { annotate, type DialectName } from '../fixtures/annotate.ts'
import { type Cluster, cluster, paths } from '../fixtures/arbitrary-cluster.ts'
import { ingressClass, render } from '../ingress-controller/objects.ts'
import { rules } from './backends.ts'
import { auxiliaryFile, configuration } from './configuration.ts'
import { haproxyPrograms } from './programs.ts'

prepare(process.env)

/** A cluster each, so that all of them fit into one configuration. */
function inNamespace<T>(value: T, namespace: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('"shop"', `"${namespace}"`))
}

const named = <T>(whole: Cluster, kind: keyof typeof paths, namespace: string) =>
  (whole[paths[kind]] as { metadata: { namespace?: string } }[]).filter(
    ({ metadata }) => metadata.namespace === namespace,
  ) as T[]

/** The objects that the controller needs of one cluster, with nothing of the user's in their annotations. */
function objectsOf(whole: Cluster, namespace: string, written: ReadonlyMap<string, object>): object[] {
  const services = named<Service>(whole, 'services', namespace).filter(({ metadata }) =>
    written.has(metadata.name ?? ''),
  )
  const ingresses = named<Ingress>(whole, 'ingresses', namespace)
  return [
    ...services.map(({ metadata, spec }) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata, annotations: written.get(metadata.name ?? '') },
      spec,
    })),
    ...ingresses.map(({ metadata, spec }) => {
      const isStandalone = metadata.annotations?.['haproxy.org/standalone-backend']
      const annotations = isStandalone ? { 'haproxy.org/standalone-backend': isStandalone } : {}
      // hosts and paths are the user's own affair
      const rules = spec?.rules?.map(({ http }, index) => ({
        host: `host${index}.${metadata.name}.${namespace}`,
        http: { paths: http?.paths.map((path) => ({ ...path, path: '/', pathType: 'Prefix' })) ?? [] },
      }))
      return {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { ...metadata, annotations },
        spec: { ...spec, ingressClassName: 'haproxy', rules },
      }
    }),
    ...named<object>(whole, 'endpoints', namespace).map((slice) => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      ...slice,
      addressType: 'IPv4',
      endpoints: [],
    })),
  ]
}

/** Annotations that the annotator ended with, by Service name. */
async function writtenFor(whole: Cluster, namespace: string, dialect: DialectName) {
  const found = new Map<string, Record<string, string>>()
  const { writes } = await annotate(whole, dialect)
  for (const [key, requests] of writes) {
    const [keyNamespace, service = ''] = key.split('/')
    if (keyNamespace !== namespace) continue
    for (const { path, body } of requests) {
      if (!path.endsWith(`/services/${service}`)) continue
      const { annotations = {} } =
        (body as { metadata?: { annotations?: Record<string, string | null> } }).metadata ?? {}
      for (const [name, value] of Object.entries(annotations))
        if (value) found.set(service, { [name]: value })
    }
  }
  return found
}

for (const dialect of ['haproxytech-custom-annotation', 'haproxytech-snippet'] as const) {
  t.test(dialect, async (t) => {
    const clusters = fc.sample(cluster, 300)
    const objects: object[] = [ingressClass, rules]
    let texts = 0
    for (const [index, whole] of clusters.entries()) {
      const namespace = `shop-${index}`
      const moved = inNamespace(whole, namespace)
      const written = await writtenFor(moved, namespace, dialect)
      texts += written.size
      if (written.size > 0) objects.push(...objectsOf(moved, namespace, written))
    }
    const backends = [...render(objects).values()]
    const routed = backends.filter((text) => text.includes('server-template'))
    t.ok(routed.length > 50, `${routed.length} backends by zone from ${texts} annotations`)
    const refused = backends.flatMap((text) => /# ERROR.*/.exec(text)?.[0] ?? [])
    t.strictSame(refused, [], 'the rule lets through whatever the annotator writes')
    for (const text of routed) {
      const [, namespace] = /^backend (shop-\d+)_svc_/m.exec(text) ?? []
      t.match(text, `.${namespace}.svc.cluster.local:`)
    }

    for (const { program, version } of haproxyPrograms(process.env)) {
      const folder = mkdtempSync(join(tmpdir(), 'zonefirst-check-'))
      t.teardown(() => rmSync(folder, { recursive: true }))
      const file = join(folder, 'haproxy.cfg')
      writeFileSync(
        file,
        configuration(backends, { socket: join(folder, 'admin.sock'), listen: '127.0.0.1:8000' }),
      )
      for (const env of [{ ZONE: 'eu-west-1a', ZONE_RESOLVERS: 'zonefirst' }, {}]) {
        const { status, stdout, stderr } = spawnSync(program, ['-c', '-f', file, '-f', auxiliaryFile], {
          env,
          encoding: 'utf8',
        })
        t.equal(status, 0, `HAProxy ${version}, ${JSON.stringify(env)}: ${stdout}${stderr}`.slice(0, 2_000))
        t.notMatch(`${stdout}${stderr}`, /server-template|local-/, 'no warning about our lines')
      }
    }
  })
}
