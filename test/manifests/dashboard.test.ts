// The dashboard: laid out as Grafana draws it, made of what the programs and HAProxy count, and, with Prometheus's promtool,
// saying the right thing where nothing is counted, counters begin anew or nobody asks.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { serverLines } from '../../annotator/plan/server-lines.ts'
import { chart } from '../../manifests/render.ts'
import { reasons } from '../../webhook/reasons.ts'
import { findPromtool, withoutPromtool } from '../cluster/promtool.ts'
import { root } from '../cluster/tools.ts'

interface Panel {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
  fieldConfig?: { defaults: { noValue?: string } }
}

const text = readFileSync(join(chart, 'files/dashboard.json'), 'utf8')
const { panels } = JSON.parse(text) as { panels: Panel[] }
const drawn = panels.filter(({ type }) => type !== 'row')

t.test('every panel says what it is and has its own place', async (t) => {
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  t.equal(new Set(panels.map(({ title }) => title)).size, panels.length)
  const taken = new Set<string>()
  for (const { title, gridPos } of panels) {
    const { x, y, w, h } = gridPos
    t.ok(x + w <= 24, title)
    const cells = Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`)
    t.notOk(
      cells.some((cell) => taken.has(cell)),
      title,
    )
    for (const cell of cells) taken.add(cell)
  }
  for (const { title, description = '' } of drawn) t.ok(description, title)
  t.strictSame(
    drawn.filter(({ type, fieldConfig }) => type === 'stat' && !fieldConfig?.defaults.noValue),
    [],
    'an empty figure says why',
  )
})

t.test('every metric of the programs is on it', async (t) => {
  const sources = globSync('{annotator,webhook,certs,lib}/*.ts', { cwd: root })
  const declared = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/name: '(zonefirst_\w+)'/g)].map(
      (match) => match[1] ?? '',
    ),
  )
  // what the webhook uses is on it, and not what lies in the Secret
  const left = declared.filter((name) => name !== 'zonefirst_certs_serving_expiry_timestamp_seconds')
  t.ok(left.length > 10)
  for (const name of left) t.match(text, name, name)
})

t.test('it knows the words of webhook, annotator, alerts and server lines', async (t) => {
  const rules: { alert: string; expr: string }[] = parse(
    readFileSync(join(chart, 'files/alerts.yaml'), 'utf8'),
  ).groups[0].rules
  const { expr = '' } = rules.find(({ alert }) => alert === 'ZonefirstServiceRefused') ?? {}
  const [words = 'no words'] = /outcome!~"[\w|]+"/.exec(expr) ?? []
  t.match(exprOf('Services refused'), words, 'what is refused is what the alert tells')
  t.match(text, `^(${words.replace(/outcome!~"Routed\|(.*)"/, '$1')})$`, 'the others are grey')

  const fine = Object.entries(reasons).flatMap(([reason, { level }]) => (level === 'debug' ? [reason] : []))
  const [stamped, again, ...others] = fine
  t.strictSame([stamped, again], ['stamped', 'already-stamped'])
  t.match(text, `^(${others.join('|')})$`, 'reviews that ended as they should aren’t orange')

  const [template = ''] = serverLines({ host: 'h', slots: 8, port: 8080, family: 'ipv4' }).filter((line) =>
    line.startsWith('server-template'),
  )
  const server = `${template.split(' ')[1]}1`
  const [, pattern = ''] = /server=~"([^"]+)"/.exec(exprOf('Traffic that stays in its zone')) ?? []
  t.match(server, new RegExp(`^${pattern}$`))
  t.notMatch('SRV_1', new RegExp(`^${pattern}$`))
})

const exprOf = (title: string, target = 0) => {
  const found = drawn.find((panel) => panel.title === title)?.targets?.[target]?.expr
  if (found === undefined) throw new Error(`there is no panel ${title}`)
  return found.replaceAll('$__rate_interval', '2m')
}

interface Situation {
  name: string
  series: Record<string, string>
  /** by title, and number of the query where there are several: the values that it gives after ten minutes */
  want: readonly (readonly [title: string, values: readonly number[], target?: number])[]
}

const bytesOf = (server: string, values: string, proxy = 'shop_svc_web_http') => ({
  [`haproxy_server_bytes_in_total{instance="h", proxy="${proxy}", server="${server}"}`]: values,
  [`haproxy_server_bytes_out_total{instance="h", proxy="${proxy}", server="${server}"}`]: values,
})
const leads = { 'zonefirst_annotator_is_leader{instance="a"}': '1x20' }
const share = 'Traffic that stays in its zone'
const byService = 'Share that stays in its zone: the ten Services with the least'
const taken = 'Time to bring a Service up to date'
const heard = 'Time since the API server was heard of'

const situations: Situation[] = [
  {
    name: 'nothing is read',
    series: {},
    want: drawn.flatMap(({ title, targets = [] }) =>
      targets.map((_, index) => [title, title === 'Replicas read' ? [0] : [], index] as const),
    ),
  },
  {
    name: 'nine of ten bytes stay, and nobody else’s backend counts',
    series: {
      ...bytesOf('local-8080-1', '0+2700x20'),
      ...bytesOf('SRV_1', '0+300x20'),
      ...bytesOf('SRV_1', '0+900x20', 'shop_svc_plain_http'),
    },
    want: [
      [share, [0.9]],
      [byService, [0.9]],
      ['Bytes to and from pods', [90], 0],
      ['Bytes to and from pods', [10], 1],
      ['Bytes to and from pods', [30], 2],
    ],
  },
  {
    name: 'no traffic: no share of nothing',
    series: { ...bytesOf('local-8080-1', '500x20'), ...bytesOf('SRV_1', '500x20') },
    want: [
      [share, []],
      [byService, []],
      ['Crosses zones, in a month', [0]],
    ],
  },
  {
    name: 'a reload: counters begin anew, and nothing is less than nothing',
    series: { ...bytesOf('local-8080-1', '0+600x8 0+600x11'), ...bytesOf('SRV_1', '0+600x8 0+600x11') },
    want: [[share, [0.5]]],
  },
  {
    name: 'an annotator that has just begun',
    series: { ...leads, 'zonefirst_informer_last_heard_timestamp_seconds{informer="crd"}': '0x20' },
    want: [
      ['Services by zone', [0]],
      ['Services refused', [0]],
      ['Controllers not prepared', [0]],
      [heard, []],
    ],
  },
  {
    name: 'Services of every kind, seen by the one that leads',
    series: {
      ...leads,
      'zonefirst_annotator_services{outcome="Routed"}': '7x20',
      'zonefirst_annotator_services{outcome="StaticCookie"}': '2x20',
      'zonefirst_annotator_services{outcome="SharedPods"}': '1x20',
      'zonefirst_annotator_services{outcome="NotOptedIn"}': '90x20',
      'zonefirst_annotator_proxies{state="Prepared"}': '3x20',
      'zonefirst_annotator_proxies{state="StampedLate"}': '1x20',
    },
    want: [
      ['Services by zone', [7]],
      ['Services refused', [3]],
      ['Controllers not prepared', [1]],
    ],
  },
  {
    name: 'nothing changes: no time taken',
    series: {
      'zonefirst_annotator_reconcile_seconds_bucket{le="0.1"}': '5x20',
      'zonefirst_annotator_reconcile_seconds_bucket{le="+Inf"}': '5x20',
      zonefirst_annotator_reconcile_seconds_count: '5x20',
    },
    want: [
      [taken, [], 0],
      [taken, [], 1],
    ],
  },
  {
    name: 'the certificate has ended',
    series: { zonefirst_webhook_certificate_expiry_timestamp_seconds: '1x20' },
    want: [['Webhook’s certificate', [-599 / 86400]]],
  },
]

const promtool = findPromtool(process.env)
t.test('what it says', { skip: !promtool && withoutPromtool }, async (t) => {
  const tests = situations.map(({ name, series, want }) => ({
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
    promql_expr_test: want.map(([title, values, target]) => ({
      // one query after the other, without labels
      expr: `sort(sum without (instance, proxy, le, outcome, state, informer) (${exprOf(title, target)}))`,
      eval_time: '10m',
      exp_samples: values.map((value) => ({ labels: '{}', value })),
    })),
  }))
  const folder = t.testdir()
  writeFileSync(join(folder, 'tests.json'), JSON.stringify({ tests }))
  t.doesNotThrow(() =>
    execFileSync(promtool ?? '', ['test', 'rules', 'tests.json'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    }),
  )
})
