import t from 'tap'
import { eachIsFoundAlone, type PlantedFault } from '../../fixtures/planted-faults.ts'

const rows: PlantedFault[] = [
  {
    fault: 'there is no annotator',
    plant: ({ snapshot }) => {
      snapshot.annotator = { missing: 'absent' }
    },
    want: 'annotator',
  },
  {
    fault: 'no pod of the annotator is ready',
    plant: ({ snapshot }) => {
      snapshot.annotator.value.status.readyReplicas = 0
    },
    want: 'annotator',
    problem: /no pod that is ready/,
  },
  {
    fault: 'one replica of the annotator is not ready',
    plant: ({ snapshot }) => {
      snapshot.annotator.value.status.readyReplicas = 1
    },
    want: 'annotator',
    problem: /1 of 2/,
  },
  {
    fault: 'a setting of the annotator is wrong',
    plant: ({ snapshot }) => {
      snapshot.annotator.value.spec.template.spec.containers[0].env = [
        { name: 'ZONEFIRST_LOAD_BOUND', value: 'much' },
      ]
    },
    want: 'annotator',
    problem: /ZONEFIRST_LOAD_BOUND is "much"/,
  },
  {
    fault: 'nobody leads',
    plant: ({ lease }) => {
      lease.value.spec.holderIdentity = ''
    },
    want: 'leader',
    problem: /held by nobody/,
  },
  {
    fault: 'the leader is silent',
    plant: ({ lease, snapshot }) => {
      lease.value.spec.renewTime = new Date(snapshot.takenAt - 60_000).toISOString()
    },
    want: 'leader',
    problem: /60 s ago by zonefirst-annotator-1/,
  },
  {
    fault: 'a policy was deleted',
    plant: ({ policies }) => {
      policies.value.pop()
    },
    want: 'admission-policies',
  },
  {
    fault: 'a policy only warns',
    plant: ({ policyBindings }) => {
      policyBindings.value[0].spec.validationActions = ['Warn']
    },
    want: 'admission-policies',
    problem: /denies nothing/,
  },
  {
    fault: 'webhook and annotator are of two versions',
    plant: ({ systemPods }) => {
      systemPods.value[0].spec.containers[0].image = 'ghcr.io/zonefirst/zonefirst:0.2.0'
    },
    want: 'versions',
    problem: /zonefirst-webhook 0\.2\.0, zonefirst-annotator 0\.1\.0/,
  },
]

t.test('faults of zonefirst’s own parts', async (t) => eachIsFoundAlone(t, rows))
