// What the annotator writes for generated clusters, hostile ones too, is text that HAProxy takes: with the HAProxy of the other
// tests, and with the one that HAPROXY_NEWEST names. The custom annotation goes through the rule that is installed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { Ingress, Service } from '../../annotator/objects/objects.ts'
import { dialects } from '../../annotator/plan/dialects/all.ts'
import { prepare } from '../cluster/prepare.ts'
import { annotate, type DialectName } from '../fixtures/annotate.ts'
import { cluster as anyCluster, type Cluster, paths } from '../fixtures/arbitrary/cluster.ts'
import { backendWith } from '../ingress-controller/haproxy-ingress-backend.ts'
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

interface AnnotatedCluster {
  whole: Cluster
  namespace: string
  /** annotations that the annotator ended with, by Service name */
  written: ReadonlyMap<string, Readonly<Record<string, string>>>
}

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

/** The backends of haproxytech's controller, one stand-in for all clusters. */
function renderedBackends(annotated: readonly AnnotatedCluster[]): string[] {
  const objects = annotated.flatMap(({ whole, namespace, written }) => objectsOf(whole, namespace, written))
  return [...render([ingressClass, rules, ...objects]).values()]
}

/** haproxy-ingress' own, as it was seen to write them. */
function recordedBackends(annotated: readonly AnnotatedCluster[]): string[] {
  return annotated.flatMap(({ namespace, written }) =>
    [...written].flatMap(([service, annotations]) =>
      Object.values(annotations).map((text) => backendWith(text, `${namespace}_${service}_http`)),
    ),
  )
}

const backendsOf = {
  'haproxytech-custom-annotation': renderedBackends,
  'haproxytech-snippet': renderedBackends,
  'haproxy-ingress-snippet': recordedBackends,
} satisfies Record<DialectName, unknown>

for (const dialect of Object.keys(dialects) as DialectName[]) {
  t.test(dialect, async (t) => {
    const annotated: AnnotatedCluster[] = []
    for (const [index, cluster] of fc.sample(anyCluster, 300).entries()) {
      const namespace = `shop-${index}`
      const whole = inNamespace(cluster, namespace)
      const written = await writtenFor(whole, namespace, dialect)
      if (written.size > 0) annotated.push({ whole, namespace, written })
    }
    const texts = annotated.reduce((sum, { written }) => sum + written.size, 0)
    const backends = backendsOf[dialect](annotated)
    const routed = backends.filter((text) => text.includes('server-template'))
    t.ok(routed.length > 50, `${routed.length} backends by zone from ${texts} annotations`)
    const refused = backends.flatMap((text) => /# ERROR.*/.exec(text)?.[0] ?? [])
    t.strictSame(refused, [], 'the rule lets through whatever the annotator writes')
    for (const text of routed) {
      const [, namespace] = /^backend (shop-\d+)_/m.exec(text) ?? []
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
