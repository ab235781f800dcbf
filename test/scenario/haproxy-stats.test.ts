import t from 'tap'
import { parseServers } from './haproxy-stats.ts'

const csv = `# pxname,svname,stot,bout,status,act,bck,addr,
http,FRONTEND,9,900,OPEN,,,,
web,local-8080-1,3,300,UP,1,0,10.88.1.1:8080,
web,SRV_1,2,200,UP 1/3,0,1,10.88.2.1:8080,
web,SRV_2,0,0,MAINT,0,1,127.0.0.1:1,
web,BACKEND,5,500,UP,1,1,,
`

t.test('servers alone, by their columns’ names', async (t) => {
  t.strictSame(parseServers(csv), [
    {
      backend: 'web',
      server: 'local-8080-1',
      status: 'UP',
      isActive: true,
      isBackup: false,
      address: '10.88.1.1:8080',
      requests: 3,
      bytesOut: 300,
    },
    {
      backend: 'web',
      server: 'SRV_1',
      status: 'UP 1/3',
      isActive: false,
      isBackup: true,
      address: '10.88.2.1:8080',
      requests: 2,
      bytesOut: 200,
    },
    {
      backend: 'web',
      server: 'SRV_2',
      status: 'MAINT',
      isActive: false,
      isBackup: true,
      address: '127.0.0.1:1',
      requests: 0,
      bytesOut: 0,
    },
  ])
  t.strictSame(parseServers(''), [])
})
