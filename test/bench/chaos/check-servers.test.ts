import t from 'tap'
import { wrongInBackend } from '../../../bench/chaos/check-servers.ts'
import type { Placed } from '../../../bench/chaos/pods.ts'
import { alone, withZonefirst } from '../../../bench/chaos/sides.ts'
import type { ServerStats } from '../../../test/scenario/haproxy-stats.ts'

const pod = (address: string, serves: string): Placed => ({
  ...{ name: address, namespace: 'shop', node: '', zone: serves, address, isReady: true, isLeaving: false },
  labels: { 'zonefirst.io/serves': serves },
})
const ready = [pod('10.88.1.1', 'a'), pod('10.88.2.1', 'b')]
const server = (name: string, address: string, more: Partial<ServerStats> = {}): ServerStats => ({
  ...{ backend: 'shop_svc_web_http', server: name, status: 'UP', isActive: false, isBackup: true },
  ...{ address: `${address}:8080`, requests: 0, bytesIn: 0, bytesOut: 0, ...more },
})
const local = server('local-8080-1', '10.88.1.1', { isActive: true, isBackup: false })
const own = [server('SRV_1', '10.88.1.1'), server('SRV_2', '10.88.2.1')]
const options = { side: withZonefirst, zone: 'a', ready }

t.test('right', async (t) => {
  const down = server('SRV_3', '127.0.0.1', { status: 'MAINT' })
  const other = server('SRV_1', '10.88.9.9', { backend: 'shop_svc_other_http' })
  t.strictSame(wrongInBackend([local, ...own, down, other], options), [])
})

for (const { name, servers, want } of [
  {
    name: 'a pod is missing',
    servers: [local, own[0]],
    want: /controller's servers are 10.88.1.1:8080 instead/,
  },
  { name: 'a local server is missing', servers: own, want: /local servers are {2}instead of 10.88.1.1:8080/ },
  {
    name: 'a local server of another zone',
    servers: [local, { ...local, address: '10.88.2.1:8080' }, ...own],
    want: /local servers are 10.88.1.1:8080 10.88.2.1:8080 instead/,
  },
  {
    name: 'a server is no backup',
    servers: [local, own[0], { ...own[1], isBackup: false }],
    want: /1 servers with the wrong backup flag/,
  },
]) {
  t.test(name, async (t) => {
    const wrong = wrongInBackend(servers as ServerStats[], options)
    t.equal(wrong.length, 1)
    t.match(wrong[0], want)
  })
}

t.test('the controller alone has neither local servers nor backups', async (t) => {
  const servers = own.map((each) => ({ ...each, backend: 'shop-alone_svc_web_http', isBackup: false }))
  t.strictSame(wrongInBackend(servers, { ...options, side: alone }), [])
})
