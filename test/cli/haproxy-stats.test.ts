import t from 'tap'
import { hostOf, isUp, parseServers, versionOf, workerStartOf } from '../../cli/haproxy-stats.ts'

const csv = `# pxname,svname,stot,bin,bout,status,act,bck,addr,
https,FRONTEND,9,9,9,OPEN,,,,
shop_svc_web_http,local-8080-1,3,30,300,UP,1,0,10.88.0.1:8080,
shop_svc_web_http,SRV_1,0,0,0,UP 1/2,0,1,10.88.1.1:8080,
shop_svc_web_http,SRV_2,0,0,0,MAINT,0,1,127.0.0.1:1,
shop_svc_web_http,BACKEND,3,30,300,UP,1,2,,
`

t.test('servers of a statistics page', async (t) => {
  const servers = parseServers(csv)
  t.strictSame(
    servers.map(({ server, requests, bytesIn, bytesOut }) => [server, requests, bytesIn, bytesOut]),
    [
      ['local-8080-1', 3, 30, 300],
      ['SRV_1', 0, 0, 0],
      ['SRV_2', 0, 0, 0],
    ],
  )
  t.match(servers[0], { isActive: true, isBackup: false, address: '10.88.0.1:8080' })
  t.match(servers[1], { isActive: false, isBackup: true })
  t.strictSame(servers.map(isUp), [true, true, false])
  t.throws(() => parseServers('<html>404</html>'), /is not HAProxy’s statistics/)
})

t.test('a check’s answer with commas in it', async (t) => {
  const csv =
    'pxname,svname,stot,bin,bout,status,last_chk,addr,\nb,s,1,2,3,DOWN,"no, ""never""",10.88.0.1:80,\n'
  t.match(parseServers(csv), [{ requests: 1, status: 'DOWN', address: '10.88.0.1:80' }])
})

t.test('metrics of the process', async (t) => {
  const metrics =
    'haproxy_process_build_info{version="3.2.26-1"} 1\nhaproxy_process_start_time_seconds 1700000000\n'
  t.equal(workerStartOf(metrics), 1_700_000_000_000)
  t.equal(versionOf(metrics), '3.2.26-1')
  t.equal(workerStartOf(''), undefined)
  t.equal(versionOf(''), undefined)
})

t.test('addresses', async (t) => {
  t.equal(hostOf('10.88.0.1:8080'), '10.88.0.1')
  t.equal(hostOf('[fd00::1]:8080'), 'fd00::1')
})
