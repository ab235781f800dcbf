import t from 'tap'
import { rawPod, slice } from '../../fixtures/inspection.ts'
import { eachIsFoundAlone, type PlantedFault } from '../../fixtures/planted-faults.ts'

const rows: PlantedFault[] = [
  {
    fault: 'a Service is refused',
    plant: ({ snapshot }) => {
      const labels = { app: 'other', 'zonefirst.io/enabled': 'true', 'zonefirst.io/serves': 'a' }
      snapshot.pods.push(rawPod('other', 'a', { labels }))
      const metadata = { name: 'other', namespace: 'shop', uid: 'uid-other' }
      const ports = [{ name: 'http', port: 80, targetPort: 8080 }]
      const spec = { selector: { app: 'other' }, ports, publishNotReadyAddresses: true }
      snapshot.services.push({ metadata, spec })
      snapshot.slices.push(slice('shop', 'other', ['other']))
      const route = structuredClone(snapshot.ingresses[0])
      route.metadata.name = 'other'
      route.spec.rules[0].http.paths[0].backend.service.name = 'other'
      snapshot.ingresses.push(route)
    },
    want: 'service-refused',
    problem: /PublishesNotReadyAddresses/,
  },
  {
    fault: 'a zonal Service was changed',
    plant: ({ snapshot }) => {
      snapshot.services[1].spec.selector = { app: 'other' }
    },
    want: 'service-unfinished',
  },
  {
    fault: 'a zonal Service is left over',
    plant: ({ snapshot }) => {
      const left = structuredClone(snapshot.services[1])
      left.metadata = { ...left.metadata, name: 'gone-in-a', ownerReferences: [] }
      snapshot.services.push(left)
    },
    want: 'orphaned-zonal-service',
  },
  {
    fault: 'an Ingress carries the annotation as well',
    plant: ({ snapshot }) => {
      snapshot.ingresses[0].metadata.annotations = { 'backend.zonefirst.io/servers': '{}' }
    },
    want: 'annotation-twice',
    problem: /only the annotator may write/,
  },
  {
    fault: 'answers of the DNS are cut off',
    plant: ({ snapshot, proxyConfigMaps }) => {
      proxyConfigMaps[0].data['haproxy-aux.cfg'] = 'resolvers zonefirst\n  parse-resolv-conf\n'
      const more = Array.from({ length: 60 }, (_, index) => rawPod(`web-${index + 3}`, index % 2 ? 'a' : 'b'))
      snapshot.pods.push(...more)
      snapshot.slices[0] = slice('shop', 'web', [
        'web-1',
        'web-2',
        ...more.map(({ metadata }) => metadata.name ?? ''),
      ])
      const { annotations } = snapshot.services[0].metadata
      const key = 'backend.zonefirst.io/servers'
      annotations[key] = annotations[key].replace('"slots":8', '"slots":128')
    },
    want: 'dns-answer-size',
    problem:
      /31 pods that serve zone [ab], and accepted_payload_size 512 has room for 2\d: answers are cut off/,
  },
]

t.test('faults of Services', async (t) => eachIsFoundAlone(t, rows))
