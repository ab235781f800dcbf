// The dialect for older controllers on a real API server: the annotation is one that users have, too, and holds one text
// for all ports. And what changing the dialect does.
import '../cluster/enter.ts'
import t from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { ingress, openShop, pod, type Shop, service } from '../scenario/shop.ts'
import { installZonefirst, systemNamespace } from '../scenario/zonefirst.ts'

const cluster = await startCluster({ zones: ['a', 'b'] })
t.teardown(() => cluster.stop())
// the controller's, as far as it matters here
await cluster.apply({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tcps.ingress.v3.haproxy.org' },
  spec: {
    group: 'ingress.v3.haproxy.org',
    names: { kind: 'TCP', plural: 'tcps', singular: 'tcp' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v3',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})
await cluster.until('TCP resources are known', () => cluster.kubectl('get', 'tcps'))
await installZonefirst(cluster, {
  annotatorEnv: {
    ZONEFIRST_DIALECT: 'haproxytech-snippet',
    ZONEFIRST_GRACE_TIME: '2s',
    ZONEFIRST_RELEASE_TIME: '2s',
  },
})

const snippetAnnotation = 'haproxy.org/backend-config-snippet'
const customAnnotation = 'backend.zonefirst.io/servers'
const usersOwn = '# mine\n  option httpchk GET /health\n\thttp-check expect status 200   \n'

const annotationsOf = async (shop: Shop, name: string) =>
  (await shop.service(name)).metadata.annotations ?? {}
const snippetOf = async (shop: Shop, name = 'web') => (await annotationsOf(shop, name))[snippetAnnotation]
const untilSnippet = (shop: Shop) =>
  cluster.until('the snippet is written', async () => (await snippetOf(shop))?.startsWith('# written by'))

async function useDialect(dialect: string): Promise<void> {
  const program = 'deployment/zonefirst-annotator'
  const system = (...args: string[]) => cluster.kubectl('-n', systemNamespace, ...args)
  await system('set', 'env', program, `ZONEFIRST_DIALECT=${dialect}`)
  await system('rollout', 'status', program, '--timeout=90s')
}

/** What HAProxy is to read, written out; no text of the code is used. */
function wanted(namespace: string): string {
  return [
    '# written by zonefirst',
    `.if !streq("\${ZONE_RESOLVERS}","") && !streq("\${ZONE}","")`,
    'option allbackups',
    'option redispatch 1',
    'default-server backup',
    `server-template local-8080- 8 "web-in-\${ZONE}.${namespace}.svc.cluster.local:8080" no-backup resolvers "\${ZONE_RESOLVERS}" resolve-prefer ipv4 init-addr none check inter 1s fall 2 rise 1 observe layer4 error-limit 1 on-error mark-down`,
    '.endif',
    '',
  ].join('\n')
}

t.test('the text, and its end', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  await untilSnippet(shop)
  t.equal(await snippetOf(shop), wanted(shop.namespace))
  t.strictSame(await shop.zonal('web'), ['web-in-a', 'web-in-b'])
  t.notOk(customAnnotation in (await annotationsOf(shop, 'web')))
  await shop.kubectl('label', 'service/web', 'zonefirst.io/enabled=false')
  await cluster.until('text and zonal Services are gone', async () => {
    return (await snippetOf(shop)) === undefined && (await shop.zonal('web')).length === 0
  })
})

t.test('a user’s own snippet is kept, byte for byte, and nothing is written', async (t) => {
  const shop = await openShop(cluster, t)
  const annotations = { [snippetAnnotation]: usersOwn }
  await shop.apply(pod('web-a', 'node-a-1'))
  await shop.kubectl('wait', '--for=condition=Ready', 'pod/web-a')
  await shop.apply(service('web', {}, { annotations }), ingress('web'))
  const before = await shop.versions('web')
  const { message } = await shop.untilEvent('web', 'SnippetTaken')
  t.match(message, `the annotation ${snippetAnnotation} holds somebody else's text`)
  t.strictSame(await shop.versions('web'), before)
  t.equal(await snippetOf(shop), usersOwn)
})

t.test('a user who writes over our text has it kept, and is told', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  await untilSnippet(shop)
  await shop.kubectl('annotate', '--overwrite', 'service/web', `${snippetAnnotation}=${usersOwn}`)
  await shop.untilEvent('web', 'SnippetTaken')
  await cluster.until('the zonal Services are gone', async () => (await shop.zonal('web')).length === 0)
  t.equal(await snippetOf(shop), usersOwn)

  await shop.kubectl('annotate', 'service/web', `${snippetAnnotation}-`)
  await untilSnippet(shop)
  t.equal(await snippetOf(shop), wanted(shop.namespace))
})

t.test('a user who changes a line of our text has it kept, and is told', async (t) => {
  const shop = await openShop(cluster, t)
  await shop.apply(pod('web-a', 'node-a-1'), service('web'), ingress('web'))
  await untilSnippet(shop)
  const changed = wanted(shop.namespace).replace('inter 1s', 'inter 5s')
  await shop.kubectl('annotate', '--overwrite', 'service/web', `${snippetAnnotation}=${changed}`)
  await shop.untilEvent('web', 'AnnotationTaken')
  t.equal(await snippetOf(shop), changed)
})

t.test('two routed ports are more than one text can say', async (t) => {
  const shop = await openShop(cluster, t)
  const ports = [
    { name: 'http', port: 80, targetPort: 'http' },
    { name: 'admin', port: 81, targetPort: 9090 },
  ]
  await shop.apply(pod('web-a', 'node-a-1'), service('web', { ports } as never), ingress('web'))
  await untilSnippet(shop)
  await shop.apply(ingress('web', ['http', 'admin']))
  await shop.untilEvent('web', 'SeveralPorts')
  await cluster.until('the text is gone', async () => (await snippetOf(shop)) === undefined)
  await shop.apply(ingress('web'))
  await untilSnippet(shop)
  t.equal(await snippetOf(shop), wanted(shop.namespace))
})

t.test('another dialect replaces what this one wrote, and leaves what users wrote', async (t) => {
  const shop = await openShop(cluster, t)
  const annotations = { [snippetAnnotation]: usersOwn }
  const selector = { app: 'web' }
  await shop.apply(
    pod('web-a', 'node-a-1'),
    service('web'),
    ingress('web'),
    service('own', { selector }, { annotations }),
    ingress('own'),
  )
  await untilSnippet(shop)
  await shop.untilEvent('own', 'SnippetTaken')
  const uids = async () => [
    (await shop.service('web-in-a')).metadata.uid,
    (await shop.service('web-in-b')).metadata.uid,
  ]
  const before = await uids()

  await useDialect('haproxytech-custom-annotation')
  const ports = { [`${shop.namespace}_svc_web_http`]: 8080 }
  t.strictSame(await shop.untilServers('web'), { name: 'web-in', slots: 8, ports })
  await cluster.until('the text is gone', async () => (await snippetOf(shop)) === undefined)
  t.strictSame(await uids(), before, 'the zonal Services are the same')
  await shop.untilServers('own')
  t.equal(await snippetOf(shop, 'own'), usersOwn, 'the custom annotation stands beside it')

  await useDialect('haproxytech-snippet')
  await untilSnippet(shop)
  t.equal(await snippetOf(shop), wanted(shop.namespace))
  for (const name of ['web', 'own']) {
    await cluster.until('the custom annotation is gone', async () => {
      return !(customAnnotation in (await annotationsOf(shop, name)))
    })
  }
  t.strictSame(await uids(), before, 'the zonal Services are the same')
  t.equal(await snippetOf(shop, 'own'), usersOwn)
})

t.test(
  'a TCP resource that routes to another port of the Service: one text for both would misroute',
  async (t) => {
    const shop = await openShop(cluster, t)
    const ports = [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'sql', port: 5432, targetPort: 5432 },
    ]
    const tcp = (port: number) => ({
      apiVersion: 'ingress.v3.haproxy.org/v3',
      kind: 'TCP',
      metadata: { name: 'sql' },
      spec: [{ name: 'sql', frontend: { name: 'fe-sql' }, service: { name: 'web', port } }],
    })
    await shop.apply(pod('web-a', 'node-a-1'), service('web', { ports }), ingress('web'))
    await untilSnippet(shop)
    const text = await snippetOf(shop)
    await shop.apply(tcp(5432))
    await cluster.until('the text is gone', async () => (await snippetOf(shop)) === undefined)
    t.match(
      (await shop.untilEvent('web', 'SeveralPorts')).message,
      /\(or TCP resources\) route to several ports/,
    )
    await shop.apply(tcp(80))
    await untilSnippet(shop)
    t.equal(await snippetOf(shop), text, 'the same port: the same text')
  },
)
