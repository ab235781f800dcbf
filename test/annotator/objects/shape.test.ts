import t from 'tap'
import {
  demand,
  endpointSliceShape,
  ingressClassShape,
  ingressShape,
  nodeShape,
  podShape,
  serviceShape,
} from '../../../annotator/objects/shape.ts'

const metadata = { name: 'web', namespace: 'shop', uid: 'u', labels: { app: 'web' }, annotations: {} }
const backend = { service: { name: 'web', port: { name: 'http' } } }

t.test('what the API server sends', async () => {
  demand(serviceShape, {
    metadata: { ...metadata, ownerReferences: [{ kind: 'Service', name: 'web', uid: 'u' }] },
    spec: {
      selector: { app: 'web' },
      ports: [
        { port: 80, targetPort: 'http' },
        { name: 'b', port: 81, targetPort: 8081 },
      ],
    },
  })
  demand(serviceShape, { metadata: { name: 'web', namespace: 'shop' }, status: { loadBalancer: {} } })
  demand(ingressShape, { metadata, spec: { rules: [{ host: 'x' }, { http: { paths: [{ backend }] } }] } })
  demand(ingressShape, { metadata, spec: { defaultBackend: { resource: { kind: 'Bucket', name: 'b' } } } })
  demand(ingressClassShape, { metadata: { name: 'haproxy' }, spec: { controller: 'x' } })
  demand(podShape, {
    metadata,
    spec: {},
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  })
  demand(nodeShape, { metadata: { name: 'ip-10-0-0-1.eu-west-1.compute.internal' } })
  demand(endpointSliceShape, { metadata, endpoints: null, ports: null })
  demand(endpointSliceShape, {
    metadata,
    endpoints: [{ addresses: ['10.0.0.1'], conditions: {}, targetRef: { kind: 'Pod', name: 'web-1' } }, {}],
    ports: [{ name: '', port: 8080 }, {}],
  })
})

t.test('what no API server sends', async (t) => {
  const named = (changes: object) => ({ metadata: { ...metadata, ...changes } })
  const rows = [
    { shape: serviceShape, object: {}, says: '.metadata is missing' },
    { shape: serviceShape, object: { metadata: null }, says: '.metadata is no map' },
    { shape: serviceShape, object: { metadata: { name: 'web' } }, says: '.metadata.namespace is missing' },
    { shape: serviceShape, object: named({ name: '../x' }), says: '.metadata.name is no name: "../x"' },
    { shape: serviceShape, object: named({ name: 'a\n' }), says: '.metadata.name is no name: "a\\n"' },
    {
      shape: serviceShape,
      object: named({ namespace: 'a"b' }),
      says: '.metadata.namespace is no name: "a\\"b"',
    },
    { shape: serviceShape, object: named({ labels: { a: null } }), says: '.metadata.labels is no string' },
    { shape: serviceShape, object: named({ labels: ['a'] }), says: '.metadata.labels is no map' },
    { shape: serviceShape, object: { metadata, spec: { ports: {} } }, says: '.spec.ports is no list' },
    { shape: serviceShape, object: { metadata, spec: { ports: [{}] } }, says: '.spec.ports.port is missing' },
    {
      shape: serviceShape,
      object: { metadata, spec: { ports: [{ port: 80.5 }] } },
      says: '.spec.ports.port is no port: 80.5',
    },
    {
      shape: ingressShape,
      object: { metadata, spec: { rules: [{ http: {} }] } },
      says: '.spec.rules.http.paths is missing',
    },
    { shape: podShape, object: { metadata, spec: { nodeName: 7 } }, says: '.spec.nodeName is no string' },
    {
      shape: endpointSliceShape,
      object: { metadata, ports: [{ port: 0 }] },
      says: '.ports.port is no port: 0',
    },
    { shape: endpointSliceShape, object: { metadata, endpoints: [null] }, says: '.endpoints is no map' },
  ]
  for (const { shape, object, says } of rows) t.throws(() => demand(shape, object), { message: says }, says)
})
