// Pure: whether an object has the shape that the API promises, in the fields that are read here. Checked once, as an object
// comes in, so that nothing behind has to doubt it.

/** Throws what is wrong; `at` is the path of the field. */
type Shape = (value: unknown, at: string) => void

const ofType =
  (type: 'string' | 'boolean'): Shape =>
  (value, at) => {
    if (typeof value !== type) throw new Error(`${at} is no ${type}`)
  }
const [text, flag] = [ofType('string'), ofType('boolean')] as const

/** Names become parts of URLs, of other names, and of HAProxy's configuration. */
const name: Shape = (value, at) => {
  if (typeof value !== 'string' || !/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(value))
    throw new Error(`${at} is no name: ${JSON.stringify(value)}`)
}
const port: Shape = (value, at) => {
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > 65_535)
    throw new Error(`${at} is no port: ${JSON.stringify(value)}`)
}
const portOrName: Shape = (value, at) => (typeof value === 'string' ? undefined : port(value, at))

const listOf =
  (item: Shape): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) throw new Error(`${at} is no list`)
    for (const each of value) item(each, at)
  }

/** The API writes null for some lists that are empty. */
const listOrNull =
  (item: Shape): Shape =>
  (value, at) => {
    if (value !== null) listOf(item)(value, at)
  }

const mapOf =
  (item: Shape): Shape =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error(`${at} is no map`)
    for (const each of Object.values(value)) item(each, at)
  }
const texts = mapOf(text)
const anything: Shape = () => {}

/** Fields whose names end with `!` have to be there. */
function fields(shapes: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(shapes).map(
    ([name, shape]) => [name.replace('!', ''), name.endsWith('!'), shape] as const,
  )
  const map = mapOf(anything)
  return (value, at) => {
    map(value, at)
    for (const [name, isNeeded, shape] of entries) {
      const field = (value as Record<string, unknown>)[name]
      if (field !== undefined) shape(field, `${at}.${name}`)
      else if (isNeeded) throw new Error(`${at}.${name} is missing`)
    }
  }
}

const metadata = {
  'name!': name,
  namespace: name,
  uid: text,
  resourceVersion: text,
  deletionTimestamp: text,
  labels: texts,
  annotations: texts,
}
const backend = fields({ service: fields({ 'name!': text, port: fields({ name: text, number: port }) }) })

export const serviceShape = fields({
  'metadata!': fields({
    ...metadata,
    'namespace!': name,
    ownerReferences: listOf(fields({ 'kind!': text, 'name!': text, 'uid!': text })),
  }),
  spec: fields({
    type: text,
    selector: texts,
    ports: listOf(fields({ name: text, 'port!': port, protocol: text, targetPort: portOrName })),
    ipFamilies: listOf(text),
    publishNotReadyAddresses: flag,
  }),
})

export const ingressShape = fields({
  'metadata!': fields({ ...metadata, 'namespace!': name }),
  spec: fields({
    ingressClassName: text,
    defaultBackend: backend,
    rules: listOf(fields({ http: fields({ 'paths!': listOf(fields({ 'backend!': backend })) }) })),
  }),
})

export const ingressClassShape = fields({ 'metadata!': fields(metadata), spec: fields({ controller: text }) })

export const podShape = fields({
  'metadata!': fields({ ...metadata, 'namespace!': name }),
  spec: fields({ nodeName: text }),
  status: fields({ phase: text, conditions: listOf(fields({ 'type!': text, 'status!': text })) }),
})

export const endpointSliceShape = fields({
  'metadata!': fields({ ...metadata, 'namespace!': name }),
  endpoints: listOrNull(
    fields({ conditions: fields({ ready: flag }), targetRef: fields({ kind: text, name: text }) }),
  ),
  ports: listOrNull(fields({ name: text, port })),
})

export const configMapShape = fields({ 'metadata!': fields(metadata), data: texts })

export const nodeShape = fields({ 'metadata!': fields(metadata) })

/** Throws, in words, where it hasn't. */
export function demand(shape: Shape, object: object): void {
  shape(object, '')
}
