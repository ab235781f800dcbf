import t from 'tap'
import { installationOf } from '../../cli/installation.ts'
import { checkVersion, shortcomings } from '../../cli/prerequisites.ts'
import { exitCodes } from '../../cli/problem.ts'
import { healthyParts, type Parts } from '../fixtures/inspection.ts'

t.test('versions of Kubernetes', async (t) => {
  for (const old of ['v1.29.14', 'v1.9.0', '1.29']) {
    const message = `The cluster runs Kubernetes ${old}, and zonefirst needs 1.30 or later: upgrade the cluster.`
    t.throws(() => checkVersion(old), { message, exitCode: exitCodes.cluster })
  }
  for (const fine of ['v1.30.0', 'v1.36.3+k3s1', 'v1.30.1-gke.1', 'v2.0.0', 'main']) {
    t.doesNotThrow(() => checkVersion(fine), fine)
  }
})

t.test('what any command begins with', async (t) => {
  const setting = (name: string, value: string) => (parts: Parts) =>
    parts.snapshot.annotator.value.spec.template.spec.containers[0].env.push({ name, value })
  const withoutRules = (parts: Parts) => {
    parts.snapshot.validationRules = { missing: 'absent' }
  }
  const rows: { name: string; change: (parts: Parts) => unknown; want: RegExp[] }[] = [
    { name: 'all is well', change: () => {}, want: [] },
    {
      name: 'no annotator',
      change: ({ snapshot }) => Object.assign(snapshot, { annotator: { missing: 'absent' } }),
      want: [
        /^There is no annotator in zonefirst-system \(--system-namespace names another place\): its set/,
      ],
    },
    {
      name: 'an annotator that may not be seen',
      change: ({ snapshot }) => Object.assign(snapshot, { annotator: { missing: 'forbidden' } }),
      want: [/^You may not read Deployments in zonefirst-system: its settings/],
    },
    {
      name: 'wrong settings',
      change: setting('ZONEFIRST_LOAD_BOUND', 'x'),
      want: [/^The annotator’s settings are wrong: .*ZONEFIRST_LOAD_BOUND/],
    },
    {
      name: 'no ValidationRules',
      change: withoutRules,
      want: [/^The cluster does not know ValidationRules .*ZONEFIRST_DIALECT=haproxytech-snippet\.$/],
    },
    {
      name: 'no ValidationRules, and a dialect that needs none',
      change: (parts) => {
        withoutRules(parts)
        setting('ZONEFIRST_DIALECT', 'haproxytech-snippet')(parts)
      },
      want: [],
    },
    {
      name: 'ValidationRules that may not be seen',
      change: ({ snapshot }) => Object.assign(snapshot, { validationRules: { missing: 'forbidden' } }),
      want: [],
    },
  ]
  for (const { name, change, want } of rows) {
    const parts = await healthyParts()
    change(parts)
    const { snapshot } = parts
    t.match(shortcomings(snapshot, installationOf(snapshot)), want, name)
    t.equal(shortcomings(snapshot, installationOf(snapshot)).length, want.length, name)
  }
})
