// zonefirst cleanup: takes away what zonefirst wrote, or says what that would be.
import { setTimeout as pause } from 'node:timers/promises'
import { atOnce } from '../lib/at-once.ts'
import { undefinedWhere } from '../lib/expected.ts'
import { isConflict, isNotFound, type Kube, type KubeObject } from '../lib/kube.ts'
import { stopAnnotator } from './cleanup/annotator.ts'
import { cleanupSteps, isOurRecord, recordPaths, type Step } from './cleanup/plan.ts'
import type { CommandContext } from './context.ts'
import { webhookConfigurationName } from './inspection.ts'
import { type ExitCode, exitCodes, Problem } from './problem.ts'
import { type Found, find, list } from './reading.ts'
import type { Snapshot } from './snapshot.ts'
import { table } from './table.ts'

export async function runCleanup(context: CommandContext): Promise<ExitCode> {
  const { kube, commandLine, terminal, signal } = context
  const isReal = commandLine.isSet('yes')
  let { snapshot, installation } = await context.look()
  if (isRunning(snapshot)) {
    if (isReal && !commandLine.isSet('stop-annotator')) {
      throw new Problem(
        `The annotator runs and would write everything again: uninstall zonefirst first, or add --stop-annotator, which scales it to 0.`,
        exitCodes.usage,
      )
    }
    if (isReal) {
      terminal.say('stopping the annotator')
      await stopAnnotator(kube, snapshot.systemNamespace, signal)
      ;({ snapshot, installation } = await context.look())
    }
  }
  const hasWebhook = await isWebhookInstalled(kube)
  if (hasWebhook) {
    terminal.say(
      'The webhook is still installed, and stamps each new pod that opted in: uninstall zonefirst as well.',
    )
  }
  const steps = cleanupSteps(await remains(kube, snapshot, hasWebhook), installation.dialects)
  if (!isReal) {
    terminal.out(describe(context, steps, 'would'))
    if (steps.length > 0) terminal.say('Nothing was changed: --yes does it.')
    return exitCodes.fine
  }
  await carryOut(context, steps)
  terminal.out(describe(context, steps, 'done'))
  return exitCodes.fine
}

async function carryOut({ kube, commandLine, terminal, signal }: CommandContext, steps: readonly Step[]) {
  const [annotations, services, rest] = [
    steps.filter(({ kind }) => kind === 'annotation'),
    steps.filter(({ kind }) => kind === 'zonal-service'),
    steps.filter(({ kind }) => kind !== 'annotation' && kind !== 'zonal-service'),
  ]
  await writeAll(
    kube,
    annotations,
    (done) => terminal.say(`${done} of ${annotations.length} annotations`),
    signal,
  )
  const seconds = Number(commandLine.text('wait'))
  if (services.length > 0 && seconds > 0) {
    terminal.say(
      `waiting ${seconds} s, until every HAProxy has reloaded and asks for no zonal Service any more`,
    )
    await pause(seconds * 1_000, undefined, { signal })
  }
  await writeAll(
    kube,
    services,
    (done) => terminal.say(`${done} of ${services.length} zonal Services`),
    signal,
  )
  await writeAll(kube, rest, (done) => terminal.say(`${done} of ${rest.length} pods and records`), signal)
}

const mostWrites = 8

/** What is gone by itself, or another by now, needs nothing. */
async function writeAll(
  kube: Kube,
  steps: readonly Step[],
  say: (done: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let done = 0
  await atOnce(mostWrites, steps, async ({ request }) => {
    signal.throwIfAborted()
    await undefinedWhere([isNotFound, isConflict], kube.request(request))
    done += 1
    if (done % 100 === 0) say(done)
  })
  if (steps.length > 0) say(done)
}

/** Certificates that are in use are no remains. */
async function remains(kube: Kube, snapshot: Snapshot, hasWebhook: boolean) {
  const pods = await list<KubeObject>(kube, '/api/v1/pods', { metadataOnly: true })
  const records = await Promise.all(
    recordPaths(snapshot.systemNamespace).map(async (path) => {
      const object = await find<KubeObject>(kube, path)
      const isOurs = 'value' in object && isOurRecord(object.value, hasWebhook)
      return { path, object: isOurs ? object : ({ missing: 'absent' } satisfies Found<KubeObject>) }
    }),
  )
  return { snapshot, pods, records }
}

async function isWebhookInstalled(kube: Kube): Promise<boolean> {
  const path = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${webhookConfigurationName}`
  return 'value' in (await find(kube, path))
}

function isRunning({ annotator }: Snapshot): boolean {
  return 'value' in annotator && (annotator.value.spec?.replicas ?? 1) > 0
}

function describe({ commandLine }: CommandContext, steps: readonly Step[], tense: 'would' | 'done'): string {
  if (commandLine.text('output') === 'json') {
    const rows = steps.map(({ kind, target, what }) => ({ kind, target, what }))
    return `${JSON.stringify({ done: tense === 'done', steps: rows }, null, 2)}\n`
  }
  if (steps.length === 0) return 'Nothing of zonefirst is left.\n'
  const rows = steps.map(({ target, what }) => [target, what])
  const title = tense === 'would' ? 'WOULD BE TAKEN AWAY FROM' : 'TAKEN AWAY FROM'
  return table([title, 'WHAT'], rows)
}
