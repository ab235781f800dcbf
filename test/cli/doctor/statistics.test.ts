import t from 'tap'
import { eachIsFoundAlone, type PlantedFault } from '../../fixtures/planted-faults.ts'

const rows: PlantedFault[] = [
  {
    fault: 'a HAProxy has no servers of the zone',
    plant: ({ stats }) => {
      stats[1].servers.shift()
      stats[1].servers[0].requests = 5_000
    },
    want: 'template-missing',
    problem: /proxy-b/,
  },
  {
    fault: 'the controller’s servers are normal ones beside ours',
    plant: ({ stats }) => {
      Object.assign(stats[0].servers[1], { isActive: true, isBackup: false })
    },
    want: 'active-beside-template',
  },
  {
    fault: 'the zone’s servers are down',
    plant: ({ stats }) => {
      stats[0].servers[0].status = 'MAINT (resolution)'
    },
    want: 'template-down',
  },
  {
    fault: 'most traffic comes to one zone',
    plant: ({ stats }) => {
      stats[1].servers[0].requests = 20_000
    },
    want: 'zone-shares',
    problem: /a has 20 % of the requests, not 50 %, b has 80 %/,
  },
]

t.test('faults of what HAProxies say', async (t) => eachIsFoundAlone(t, rows))
