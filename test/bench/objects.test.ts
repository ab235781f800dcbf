import t from 'tap'
import {
  isEven,
  namespacesOf,
  type PodSketch,
  podsOf,
  podsPerService,
  proxies,
  proxyPods,
  zones,
} from '../../bench/annotator/objects.ts'

const services = Array.from({ length: 1_000 }, (_, service) => service)
const zoneOf = (pod: PodSketch) =>
  (pod.body as { metadata: { labels: Record<string, string> } }).metadata.labels['zonefirst.io/serves']

t.test('every pod has an address of its own, that of its successor too', async (t) => {
  const pods = [...proxyPods(), ...services.flatMap((service) => [...podsOf(service), ...podsOf(service, 1)])]
  t.equal(new Set(pods.map(({ address }) => address)).size, proxies + 2 * podsPerService * services.length)
  const octets = pods.flatMap(({ address }) => address.split('.').map(Number))
  t.ok(octets.every((octet) => octet >= 0 && octet < 256))
})

t.test('pods are even over the zones where the Service says so, and else not', async (t) => {
  for (const service of services.slice(0, 8)) {
    const counts = zones.map((zone) => podsOf(service).filter((pod) => zoneOf(pod) === zone).length)
    t.equal(new Set(counts).size === 1, isEven(service))
  }
})

t.test('a successor is in the zone of who it replaces', async (t) => {
  for (const service of [0, 3]) {
    t.strictSame(podsOf(service, 1).map(zoneOf), podsOf(service).map(zoneOf))
    t.strictSame(
      podsOf(service, 1).map(({ node }) => node),
      podsOf(service).map(({ node }) => node),
    )
  }
})

t.test('a hundred Services share a namespace', async (t) => {
  t.equal(namespacesOf(1_000).length, 10)
  t.strictSame(namespacesOf(20), ['shop-0'])
})
