import t from 'tap'
import type { Parts } from '../../fixtures/inspection.ts'
import { eachIsFoundAlone, findingsAfter, type PlantedFault } from '../../fixtures/planted-faults.ts'

function setProxyNamespaces({ snapshot }: Parts, value: string): void {
  const [container] = snapshot.annotator.value.spec.template.spec.containers
  container.env = [{ name: 'ZONEFIRST_PROXY_NAMESPACES', value }]
}

const rows: PlantedFault[] = [
  {
    fault: 'the namespace of ingress controllers is misspelt',
    plant: (parts) => setProxyNamespaces(parts, 'haproxy-controller,haproxy-contoller'),
    want: 'proxy-namespaces',
    problem: /names haproxy-contoller, which does not exist/,
  },
  {
    fault: 'a namespace has no ingress controllers any more',
    plant: (parts) => setProxyNamespaces(parts, 'haproxy-controller,shop'),
    want: 'proxy-namespaces',
    problem: /names shop, where no pod calls itself an ingress controller/,
  },
]

t.test('faults of where ingress controllers live', async (t) => eachIsFoundAlone(t, rows))

t.test('that any namespace is trusted with ingress controllers is a note, and says which do', async (t) => {
  const found = findingsAfter((parts) => setProxyNamespaces(parts, ''))
  t.match(found, [{ check: 'proxy-namespaces', severity: 'note', problem: /is not set/ }])
  t.equal(found.length, 1)
  t.match(found[0]?.fix, /set annotator\.settings\.proxyNamespaces to \[haproxy-controller\]$/)
})
