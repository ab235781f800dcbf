// zonefirst report: what HAProxy's counters say of bytes that stay in their zone, and what the rest costs.
import { readFile, writeFile } from 'node:fs/promises'
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes, Problem } from './problem.ts'
import { readyProxiesOf } from './proxies.ts'
import { readProxyStats } from './proxy-stats.ts'
import { countersOf, parseSaved, type SavedCounters, savedCounters } from './report/counters.ts'
import { drawReport } from './report/svg.ts'
import { type Report, reportJson, reportText } from './report/text.ts'
import { trafficOf } from './report/traffic.ts'
import { serviceStates } from './service-states.ts'

export async function runReport({ kube, look, commandLine, terminal }: CommandContext): Promise<ExitCode> {
  const { text } = commandLine
  const since = await readSaved(text('since'))
  const { snapshot, installation } = await look()
  const proxies = readyProxiesOf(snapshot)
  if (proxies.length === 0) {
    throw new Problem(
      'No ingress controller is ready that has opted in (labels zonefirst.io/enabled: "true" and zonefirst.io/role: proxy): there are no counters to read.',
    )
  }
  terminal.say(`reading the statistics of ${proxies.length} HAProxies`)
  const way = text('stats') === 'direct' ? 'direct' : 'proxy'
  const stats = await readProxyStats(kube, proxies, { way, port: Number(text('stats-port')) })
  const failures = stats.filter(({ failure }) => failure !== undefined)
  for (const { namespace, pod, failure } of failures) terminal.say(`${namespace}/${pod}: ${failure}`)
  if (failures.length === stats.length) {
    throw new Problem(
      `No statistics could be read, the first for this reason: ${failures[0]?.failure}; --stats-port names their port, --stats=direct reads them from within the cluster.`,
    )
  }
  // when they were read, not when the objects were
  const now = Date.now()
  const counters = countersOf(stats, now, since)
  const { bound } = installation
  const { services, all } = trafficOf(snapshot, counters, { bound, namespace: text('namespace') })
  const states = serviceStates(snapshot, installation)
  const report: Report = {
    services,
    all,
    proxies: counters,
    unread: failures.map((each) => `${each.namespace}/${each.pod}`),
    zonal: new Set(states.filter(({ written }) => Object.keys(written).length > 0).map(({ key }) => key)),
    price: Number(text('price')),
  }
  const [save, svg] = [text('save'), text('svg')]
  if (save !== undefined) await write(save, `${JSON.stringify(savedCounters(stats, now))}\n`)
  if (svg !== undefined) await write(svg, drawReport(report))
  terminal.out(
    text('output') === 'json'
      ? `${JSON.stringify(reportJson(report), null, 2)}\n`
      : reportText(report, terminal.columns),
  )
  return exitCodes.fine
}

async function readSaved(file: string | undefined): Promise<SavedCounters | undefined> {
  if (file === undefined) return undefined
  try {
    return parseSaved(await readFile(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'not there' : message
    throw new Problem(`The file ${file} of --since is ${reason}.`, exitCodes.usage)
  }
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (error) {
    throw new Problem(`Can’t write ${file}: ${(error as Error).message}.`, exitCodes.usage)
  }
}
