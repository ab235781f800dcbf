// What holds for any cluster, also one whose objects are damaged: nothing throws, what is written stays in the namespace and
// with the Service that it is for, and every text is one that the controller's rule lets through.
import fc from 'fast-check'
import t from 'tap'
import { dialects } from '../../annotator/plan/dialects/all.ts'
import { hashedPrefix, readablePrefix } from '../../annotator/plan/zonal-name.ts'
import type { ApiRequest } from '../../lib/kube.ts'
import { zoneKey } from '../../lib/zone.ts'
import { annotate, type DialectName } from '../fixtures/annotate.ts'
import { type Cluster, cluster } from '../fixtures/arbitrary/cluster.ts'
import { damaged } from '../fixtures/arbitrary/damage.ts'

const dialect = fc.constantFrom(...(Object.keys(dialects) as DialectName[]))
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

interface Body {
  kind?: string
  metadata: {
    name?: string
    namespace?: string
    labels?: Record<string, string | null>
    annotations?: Record<string, string | null>
    ownerReferences?: { name: string; uid: string }[]
  }
  spec?: { type?: string; externalName?: string; clusterIP?: string; selector?: Record<string, string> }
}

/** Throws where a write reaches beyond what the key may make it reach. */
function checkWrite(key: string, { method, path, body }: ApiRequest): string | undefined {
  const [namespace = '', service = ''] = key.split('/')
  const [, found, kind, name = ''] =
    /^\/api\/v1\/namespaces\/([^/]+)\/(services|pods)\/([^/]+)$/.exec(path) ?? []
  if (found !== namespace || !/^[a-z0-9.-]+$/.test(name)) throw new Error(`${key} writes ${method} ${path}`)
  if (method === 'DELETE') {
    if (kind !== 'services' || name === service) throw new Error(`${key} deletes ${path}`)
    return undefined
  }
  const { metadata, spec } = body as Body
  if (metadata.namespace !== undefined && metadata.namespace !== namespace)
    throw new Error(metadata.namespace)
  if (kind === 'pods') {
    const keys = Object.keys({ ...metadata.labels, ...metadata.annotations })
    if (!keys.every((each) => each.startsWith('zonefirst.io/'))) throw new Error(`${keys} on ${path}`)
    const serves = metadata.labels?.['zonefirst.io/serves']
    if (serves && !label.test(serves)) throw new Error(`serves ${serves}`)
    const { 'zonefirst.io/zone': zone, 'zonefirst.io/zone-key': zoneKeyFound } = metadata.annotations ?? {}
    // a node that lost its zone takes the whole stamp away
    const isGone = zone === null && zoneKeyFound === null && serves === null
    if (!isGone && zoneKey(zone ?? '') !== zoneKeyFound) throw new Error(`stamped ${zone} ${zoneKeyFound}`)
    return undefined
  }
  if (name === service) {
    if (spec !== undefined || metadata.labels !== undefined) throw new Error(`${key} changes more of itself`)
    const [value] = Object.values(metadata.annotations ?? {})
    return value ?? undefined
  }
  const prefixes = [readablePrefix(service), hashedPrefix(namespace, service)]
  if (!prefixes.some((prefix) => name.startsWith(`${prefix}-`)) || !label.test(name)) throw new Error(name)
  if (spec?.clusterIP !== 'None' || spec.type || spec.externalName) throw new Error(`${name} is not headless`)
  if (!spec.selector?.['zonefirst.io/serves'] || Object.keys(spec.selector).length < 2)
    throw new Error(`${name} selects too much`)
  if (metadata.ownerReferences?.[0]?.name !== service) throw new Error(`${name} is not owned`)
  return undefined
}

/** Throws where a text is not what the dialects write, or names another namespace. */
function checkText(key: string, text: string): void {
  const [namespace = '', service = ''] = key.split('/')
  const prefixes = [readablePrefix(service), hashedPrefix(namespace, service)]
  if (text.startsWith('{')) {
    const { name, slots, ports, family, ...others } = JSON.parse(text)
    const isSlots = [8, 16, 32, 64, 128, 256, 512].includes(slots)
    const numbers = Object.values(ports) as number[]
    const isPorts =
      numbers.length > 0 && numbers.every((port) => Number.isInteger(port) && port > 0 && port < 65536)
    const isFamily = family === undefined || family === 'ipv6'
    if (!prefixes.includes(name) || !isSlots || !isPorts || !isFamily || Object.keys(others).length > 0)
      throw new Error(text)
    return
  }
  const lines = text.split('\n')
  const template = lines.filter((line) => line.startsWith('server-template'))
  const [, slots, prefix, found, port] =
    /^server-template local-\d+- (\d+) "([a-z0-9-]+)-\$\{ZONE\}\.([a-z0-9-]+)\.svc\.cluster\.local:(\d+)" no-backup resolvers "\$\{ZONE_RESOLVERS\}" [a-z0-9 -]+$/.exec(
      template[0] ?? '',
    ) ?? []
  if (template.length !== 1 || found !== namespace || !prefixes.includes(prefix)) throw new Error(text)
  if (!(Number(slots) >= 8 && Number(slots) <= 512 && Number(port) > 0 && Number(port) < 65536))
    throw new Error(text)
  const others = lines.filter((line) => !line.startsWith('server-template'))
  const known = new Set(allowedLines)
  const strange = others.find((line) => !known.has(line))
  if (strange !== undefined) throw new Error(text)
}
const allowedLines = [
  '# written by zonefirst',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: HAProxy expands it
  '.if !streq("${ZONE_RESOLVERS}","") && !streq("${ZONE}","")',
  'option allbackups',
  'option redispatch 1',
  'default-server backup',
  '.endif',
  '',
]

async function check(whole: Cluster, used: DialectName) {
  const annotated = await annotate(whole, used)
  let texts = 0
  for (const [key, requests] of annotated.writes) {
    for (const request of requests) {
      const text = checkWrite(key, request)
      if (text === undefined) continue
      checkText(key, text)
      texts++
    }
  }
  for (const { message } of annotated.told) {
    // for terminals, and for Events
    if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(message) || message.length > 1_000)
      throw new Error(JSON.stringify(message))
  }
  return { ...annotated, texts }
}

t.test('any cluster', async (t) => {
  const seen = new Set<string>()
  let texts = 0
  await fc.assert(
    fc.asyncProperty(cluster, dialect, async (whole, used) => {
      const found = await check(whole, used)
      for (const error of [...found.failures.values(), ...found.complaints]) throw error
      for (const outcome of found.outcomes.values()) seen.add(outcome)
      texts += found.texts
    }),
    { numRuns: 1_000 },
  )
  t.ok(texts > 200, `${texts} texts`)
  for (const reason of ['Routed', 'PodsNotStamped', 'NotRouted', 'KeptOut', 'StaticCookie', 'SnippetTaken']) {
    t.ok(seen.has(reason), `some Services ended with ${reason}`)
  }
})

for (const [kind, name] of [
  ['gone', 'objects of which parts are missing or null'],
  ['strange', 'objects of which parts are of another type'],
] as const) {
  t.test(name, async (t) => {
    let leftOut = 0
    await fc.assert(
      fc.asyncProperty(damaged(kind), dialect, async (whole, used) => {
        const found = await check(whole, used)
        for (const error of found.failures.values()) throw error
        for (const { message } of found.complaints) {
          if (!/is left out/.test(message)) throw new Error(message)
        }
        leftOut += found.complaints.length
      }),
      { numRuns: 1_000 },
    )
    t.ok(leftOut > 300, `${leftOut} objects were left out`)
  })
}
