// What the commands do with proxies that don't serve their statistics as they should.
import type { IncomingMessage, RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import { readCommandLine } from '../../cli/command-line.ts'
import { findingsOf } from '../../cli/doctor/checks.ts'
import { problemOf } from '../../cli/problem.ts'
import { type ProxyStats, readProxyStats, type StatsOptions } from '../../cli/proxy-stats.ts'
import { runReport } from '../../cli/report-command.ts'
import type { Pod } from '../../cli/snapshot.ts'
import { startApiServer } from '../fixtures/api-server.ts'
import { healthyParts, inspectionOf } from '../fixtures/inspection.ts'
import { sendWithoutEnd, servePages } from '../fixtures/pages.ts'

const parts = await healthyParts()
const proxy: Pod = parts.snapshot.pods[2]
proxy.status = { ...proxy.status, podIP: '127.0.0.1' }

const csv = '# pxname,svname,stot,bin,bout\nshop_svc_web_http,SRV_1,5,10,20\n'
const statistics: RequestListener = ({ url }, answer) =>
  answer.end(url === '/;csv' ? csv : 'haproxy_process_start_time_seconds 7\n')

/** Reads one proxy, whose pages `listener` serves, in either way. */
async function read(
  t: Test,
  listener: RequestListener,
  limits?: StatsOptions['limits'],
): Promise<Record<StatsOptions['way'], ProxyStats | undefined>> {
  const port = await servePages(t, listener)
  const path = `/api/v1/namespaces/haproxy-controller/pods/proxy-a:${port}/proxy`
  const server = await startApiServer((request: IncomingMessage, answer) => {
    request.url = request.url?.replace(path, '')
    listener(request, answer as never)
  })
  t.teardown(() => server.close())
  const options = { port, ...(limits && { limits }) }
  const [direct] = await readProxyStats(server.kube, [proxy], { way: 'direct', ...options })
  const [through] = await readProxyStats(server.kube, [proxy], { way: 'proxy', ...options })
  return { direct, proxy: through }
}

t.test('its servers, and since when it counts', async (t) => {
  const want = { uid: proxy.metadata.uid, workerStart: 7_000, servers: [{ server: 'SRV_1', requests: 5 }] }
  const { direct, proxy: through } = await read(t, statistics)
  t.match(direct, want)
  t.match(through, want)
})

t.test('one that can’t be read says why in one sentence', async (t) => {
  const limits = { time: 60_000, length: 2 ** 20 }
  const rows: { name: string; listener: RequestListener; time?: number; want: RegExp }[] = [
    { name: 'never answers', listener: () => {}, time: 100, want: /;csv did not come whole within 0\.1 s$/ },
    { name: 'sends without end', listener: sendWithoutEnd, want: /;csv is longer than 1 MiB$/ },
    { name: 'refuses', listener: (_, answer) => answer.writeHead(404).end(), want: /: (status )?404 ?$/ },
    {
      name: 'is no HAProxy',
      listener: (_, answer) => answer.end('hello'),
      want: /is not HAProxy’s statistics/,
    },
  ]
  for (const { name, listener, time = limits.time, want } of rows) {
    const { direct, proxy: through } = await read(t, listener, { ...limits, time })
    t.match(direct?.failure, want, `${name}, directly`)
    t.match(through?.failure, want, `${name}, through the API server`)
    const findings = findingsOf(inspectionOf({ ...structuredClone(parts), stats: [direct, ...parts.stats] }))
    const unread = findings.find(({ check }) => check === 'statistics-unread')
    t.equal(unread?.problem, `its HAProxy’s statistics could not be read: ${direct?.failure}`, 'doctor')
  }
})

t.test('a second page that is missing costs only what stands on it', async (t) => {
  const { direct } = await read(t, ({ url }, answer) =>
    url === '/;csv' ? answer.end(csv) : answer.writeHead(404).end(),
  )
  t.match(direct, { servers: [{ server: 'SRV_1' }], workerStart: undefined, failure: undefined })
})

t.test('report ends with one sentence where none can be read', async (t) => {
  const port = await servePages(t, sendWithoutEnd)
  const said: string[] = []
  const snapshot = { ...parts.snapshot, pods: [proxy] }
  const report = runReport({
    kube: undefined as never,
    commandLine: readCommandLine(['report', '--stats=direct', `--stats-port=${port}`]),
    terminal: { out: () => {}, say: (line) => said.push(line) },
    look: async () => ({ snapshot, installation: inspectionOf(parts).installation }),
    signal: new AbortController().signal,
  })
  const reason = `http://127.0.0.1:${port}/;csv is longer than 64 MiB`
  const problem = await report.then(
    () => t.fail('it was read'),
    (error) => problemOf(error, ''),
  )
  t.match(problem, {
    message: `No statistics could be read, the first for this reason: ${reason}; --stats-port names their port`,
    exitCode: 3,
  })
  t.strictSame(said.slice(1), [`haproxy-controller/proxy-a: ${reason}`])
})
