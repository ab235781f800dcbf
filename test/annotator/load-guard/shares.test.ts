import t from 'tap'
import { proxiesByZone, sharesOf } from '../../../annotator/load-guard/shares.ts'

t.test('shares of zones', async (t) => {
  t.strictSame(
    sharesOf(
      new Map(),
      new Map([
        ['a', 2],
        ['b', 1],
        ['c', 1],
      ]),
    ),
    new Map([
      ['a', 0.5],
      ['b', 0.25],
      ['c', 0.25],
    ]),
  )
  t.strictSame(
    sharesOf(
      new Map([
        ['a', 3],
        ['b', 1],
      ]),
      new Map([['c', 1]]),
    ),
    new Map([
      ['a', 0.75],
      ['b', 0.25],
    ]),
    'configured ones hold',
  )
  t.equal(sharesOf(new Map(), new Map()), undefined)
})

t.test('ready proxies by zone', async (t) => {
  const zoneOfNode = new Map([
    ['node-1', 'Rack_A'],
    ['node-2', 'b'],
    ['node-3', undefined],
  ])
  const proxy = (nodeName: string | undefined, isReadyProxy = true) => ({ nodeName, isReadyProxy })
  const pods = [
    proxy('node-1'),
    proxy('node-1'),
    proxy('node-2'),
    proxy('node-2', false),
    proxy('node-3'),
    proxy(undefined),
  ]
  const want = new Map([
    ['rack-a-573828', 2],
    ['b', 1],
  ])
  t.strictSame(proxiesByZone(pods, zoneOfNode), want)
})
