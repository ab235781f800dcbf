// zonefirst doctor: looks at everything, and says what is wrong and what to do.
import type { CommandContext } from './context.ts'
import { findingsOf } from './doctor/checks.ts'
import type { Finding } from './doctor/finding.ts'
import { type Version, versionsOf } from './doctor/installation.ts'
import { inspect } from './inspection.ts'
import { type ExitCode, exitCodes } from './problem.ts'
import { table } from './table.ts'
import { wrapped } from './wrapped.ts'

export async function runDoctor(context: CommandContext): Promise<ExitCode> {
  const { kube, look, commandLine, terminal } = context
  const inspection = await inspect(kube, await look(), {
    stats: commandLine.isSet('no-stats')
      ? undefined
      : {
          way: commandLine.text('stats') === 'direct' ? 'direct' : 'proxy',
          port: Number(commandLine.text('stats-port')),
        },
    say: terminal.say,
  })
  const findings = findingsOf(inspection)
  const versions = versionsOf(inspection)
  terminal.out(
    commandLine.text('output') === 'json'
      ? `${JSON.stringify({ findings, versions }, null, 2)}\n`
      : doctorText(findings, versions, terminal.columns),
  )
  return findings.some(({ severity }) => severity !== 'note') ? exitCodes.findings : exitCodes.fine
}

/** What is worst comes first. */
export function doctorText(
  findings: readonly Finding[],
  versions: readonly Version[],
  columns?: number | undefined,
): string {
  const indent = ' '.repeat(8)
  const worstFirst = (['error', 'warning', 'note'] as const).flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  )
  const parts = worstFirst.map(({ severity, check, subject, problem, fix }) =>
    [
      wrapped(`${severity.padEnd(7)} ${check}: ${subject}`, columns, indent),
      wrapped(`${indent}${problem}`, columns, indent),
      wrapped(`${indent}→ ${fix}`, columns, `${indent}  `),
      '',
    ].join('\n'),
  )
  const count = findings.filter(({ severity }) => severity !== 'note').length
  const verdict =
    count === 0 ? 'All is well.' : count === 1 ? 'One thing is wrong.' : `${count} things are wrong.`
  const rows = versions.map(({ what, version }) => [what, version])
  return `${parts.join('\n')}${parts.length > 0 ? '\n' : ''}${verdict}\n\n${table(['PROGRAM', 'VERSION'], rows)}`
}
