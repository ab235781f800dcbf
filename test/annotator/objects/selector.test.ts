import t from 'tap'
import type { Service } from '../../../annotator/objects/objects.ts'
import { selectorIndex, servicesSelecting } from '../../../annotator/objects/selector.ts'
import { zonalService } from '../../../annotator/plan/zonal-services.ts'
import { pod, service } from '../../fixtures/cluster-objects.ts'

const instance = 'app.kubernetes.io/instance'
const app = 'app.kubernetes.io/name'
const named = (name: string, selector: Record<string, string>) =>
  service({ metadata: { name, uid: name }, spec: { selector } })
const names = (services: readonly Service[]) => services.map(({ metadata }) => metadata.name).sort()

t.test('a thousand Services of one release: a pod is compared with its own', async (t) => {
  const index = selectorIndex()
  let compared = 0
  for (let number = 0; number < 1_000; number++) {
    const each = named(`web-${number}`, { [instance]: 'shop', [app]: `web-${number}` })
    const spec = each.spec
    const counted = Object.defineProperty({ ...each }, 'spec', {
      get() {
        compared++
        return spec
      },
    })
    index.replace(counted, undefined)
  }
  compared = 0
  const labels = { [instance]: 'shop', [app]: 'web-700' }
  t.strictSame(names(servicesSelecting(index, pod('web-700-1', 'a', { labels }))), ['web-700'])
  t.ok(compared < 10, `${compared} were compared`)
})

t.test('Services go, and change what they select, wherever they were filed', async (t) => {
  const index = selectorIndex()
  const labels = { [instance]: 'shop', [app]: 'web' }
  const found = () => names(servicesSelecting(index, pod('web-1', 'a', { labels })))
  const all = named('all', { [instance]: 'shop' })
  const web = named('web', { [instance]: 'shop', [app]: 'web' })
  const api = named('api', { [instance]: 'shop', [app]: 'api' })
  for (const each of [all, web, api]) index.replace(each, undefined)
  t.strictSame(found(), ['all', 'web'])
  const changed = named('api', { [app]: 'web' })
  index.replace(changed, api)
  t.strictSame(found(), ['all', 'api', 'web'])
  index.replace(undefined, all)
  index.replace(undefined, web)
  t.strictSame(found(), ['api'])
  index.replace(undefined, changed)
  t.strictSame([...index.groups()], [])
})

t.test('zonal Services and those without a selector are found by no pod', async (t) => {
  const index = selectorIndex()
  index.replace(zonalService(service(), 'web-in', { zone: 'a', key: 'a' }), undefined)
  index.replace(named('none', {}), undefined)
  t.strictSame(servicesSelecting(index, pod('web-1', 'a')), [])
})
