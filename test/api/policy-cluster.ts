// A cluster with the admission policies and the annotator's rights in it, but without an annotator that runs: its list
// of zones and its writes are made in its name. Each write to the API is one function, so that tests are tables.
import type { V1ServiceSpec } from '@kubernetes/client-node'
import type { Test } from 'tap'
import type { Service } from '../../annotator/objects/objects.ts'
import { ApiError, applyPatch, jsonPatch, type Kube, type KubeObject, mergePatch } from '../../lib/kube.ts'
import { startCluster } from '../cluster/cluster.ts'
import { service } from '../scenario/shop.ts'
import { actAs, annotatorUser } from '../scenario/users.ts'
import { partOfZonefirst } from '../scenario/zonefirst.ts'

const namespace = 'shop'
export const annotation = 'backend.zonefirst.io/servers'
export const zonalLabel = 'zonefirst.io/zonal-service'
const value = '{"name":"web-in","slots":8,"ports":{}}'
const strategicPatch = 'application/strategic-merge-patch+json'
const paths = {
  services: `/api/v1/namespaces/${namespace}/services`,
  pods: `/api/v1/namespaces/${namespace}/pods`,
  ingresses: `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`,
}
export type Kind = keyof typeof paths

export interface Routed {
  primary: Service
  zonal: Service
}

export interface Row {
  name: string
  write: (found: Routed) => Promise<unknown>
  /** what the API server says; undefined where it is allowed */
  denied?: string
}

export async function startPolicyCluster(t: Test) {
  const cluster = await startCluster({ zones: ['a'] })
  t.teardown(() => cluster.stop())
  await cluster.kubectl('apply', ...partOfZonefirst('namespace', 'policies', 'annotator'))
  const system = (...args: string[]) => cluster.kubectl('-n', 'zonefirst-system', ...args)
  const annotator = await actAs(cluster, t, annotatorUser)
  await cluster.until('the annotator has made its list of zones', () =>
    system('get', 'configmap/zonefirst-zones'),
  )
  await system('scale', 'deployment/zonefirst-annotator', '--replicas=0')
  await cluster.until('it is gone', async () => (await system('get', 'pods', '-o', 'name')) === '')

  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await cluster.until('the namespace has its service account', () =>
    cluster.kubectl('-n', namespace, 'get', 'serviceaccount/default'),
  )
  // policies take a moment to be known to the API server
  const forbidden = [service('zf-0123456789-a'), service('web-in-a')]
  for (const body of forbidden) {
    await cluster.until('the policies are in force', () =>
      writer(cluster.kube)
        .create('services', body, { dryRun: 'All' })
        .then(
          () => false,
          (error) => isDenied(error),
        ),
    )
  }

  const grant = ['rolebinding', 'editor', '--clusterrole=edit', '--user=editor']
  await cluster.kubectl('-n', namespace, 'create', ...grant)
  let count = 0
  const nextName = () => `web-${++count}`

  /** A user's Service with the annotator's annotation, and its zonal Service of zone a. */
  async function routed(): Promise<Routed> {
    const name = nextName()
    await writer(cluster.kube).create('services', service(name))
    const { apply, create } = writer(annotator)
    const metadata = { name, annotations: { [annotation]: value } }
    const primary = await apply('services', { apiVersion: 'v1', kind: 'Service', metadata })
    return { primary, zonal: await create('services', zonalOf(primary)) }
  }

  /** Each row has a routed Service of its own; where it is denied, that is as it was. */
  async function check(t: Test, rows: readonly Row[]): Promise<void> {
    for (const { name, write, denied } of rows) {
      const found = await routed()
      const error = await write(found).then(
        () => undefined,
        (error) => error as Error,
      )
      if (denied === undefined) {
        t.equal(error?.message, undefined, name)
        continue
      }
      t.ok(isDenied(error), name)
      t.match(error?.message, denied, name)
      for (const before of Object.values(found)) {
        const path = `${paths.services}/${before.metadata.name}`
        t.strictSame(await cluster.kube.request({ method: 'GET', path }), before, `${name}: as before`)
      }
    }
  }

  return {
    cluster,
    nextName,
    routed,
    check,
    annotator,
    admin: writer(cluster.kube),
    /** may edit what is in the namespace */
    editor: writer(await actAs(cluster, t, 'editor')),
  }
}

export function zonalOf({ metadata }: Service, spec: V1ServiceSpec = {}, name?: string): Service {
  const owner = { apiVersion: 'v1', kind: 'Service', name: metadata.name ?? '', uid: metadata.uid ?? '' }
  const selector = { app: 'web', 'zonefirst.io/serves': 'a' }
  return service(
    name ?? `${metadata.name}-in-a`,
    { clusterIP: 'None', selector, ...spec },
    {
      labels: { [zonalLabel]: 'a' },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: false }],
    },
  ) as Service
}

/** The ways to write an object of the namespace `shop`. */
export function writer(kube: Kube) {
  const of = (kind: Kind, name?: string) => `${paths[kind]}/${name}`
  const patchAs =
    (contentType: string) =>
    (kind: Kind, name: string | undefined, body: unknown): Promise<Service> =>
      kube.request({ method: 'PATCH', path: of(kind, name), contentType, body })
  return {
    create: (kind: Kind, body: KubeObject, query = {}): Promise<Service> =>
      kube.request({ method: 'POST', path: paths[kind], body, query }),
    replace: (kind: Kind, body: KubeObject): Promise<Service> =>
      kube.request({ method: 'PUT', path: of(kind, body.metadata.name), body }),
    merge: patchAs(mergePatch),
    jsonPatch: patchAs(jsonPatch),
    strategicMerge: patchAs(strategicPatch),
    apply: (kind: Kind, body: KubeObject, query = {}): Promise<Service> =>
      kube.request({
        method: 'PATCH',
        path: of(kind, body.metadata.name),
        contentType: applyPatch,
        query: { fieldManager: 'test', ...query },
        body,
      }),
    remove: (kind: Kind, name: string | undefined): Promise<unknown> =>
      kube.request({ method: 'DELETE', path: of(kind, name) }),
  }
}

/** Whether one of our policies said no. */
export function isDenied(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 403 &&
    error.message.includes("ValidatingAdmissionPolicy 'zonefirst-")
  )
}

/** Labels and annotations in a merge patch. */
export const patch = (annotations: Record<string, string | null>, labels = {}) => ({
  metadata: { annotations, labels },
})

export const withMetadata = <T extends KubeObject>(object: T, metadata: object): T => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
})
