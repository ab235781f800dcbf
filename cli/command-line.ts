// Pure: what the command line says. Each option is declared once, here; help and checks come from that.
import { parseArgs } from 'node:util'
import { exitCodes, Problem } from './problem.ts'

interface Option {
  /** what its value is called in the help; without one it is a switch */
  value?: string
  short?: string
  default?: string
  help: string
  /** Completes "must be"; undefined where the text is fine. */
  check?: (text: string) => string | undefined
}

const oneOf =
  (...choices: string[]) =>
  (text: string) =>
    choices.includes(text) ? undefined : `one of ${choices.join(', ')}`
const aNumber = (what: string, least: number, most: number) => (text: string) =>
  /^\d+(\.\d+)?$/.test(text) && Number(text) >= least && Number(text) <= most ? undefined : what

const common = {
  kubeconfig: {
    value: 'file',
    help: 'The kubeconfig; else KUBECONFIG, ~/.kube/config, or the pod’s account.',
  },
  context: { value: 'name', help: 'The context of the kubeconfig; else its current one.' },
  'system-namespace': {
    value: 'name',
    default: 'zonefirst-system',
    help: 'The namespace in which zonefirst is installed.',
  },
  output: {
    value: 'form',
    short: 'o',
    default: 'table',
    help: 'table for people, json for programs.',
    check: oneOf('table', 'json'),
  },
  help: { short: 'h', help: 'Show this.' },
} as const satisfies Record<string, Option>

const namespace = {
  namespace: { value: 'name', short: 'n', help: 'Only Services of this namespace.' },
} as const satisfies Record<string, Option>

const stats = {
  stats: {
    value: 'way',
    default: 'proxy',
    help: 'How HAProxy’s statistics are read: proxy (through the API server) or direct (at the pods’ addresses).',
    check: oneOf('proxy', 'direct'),
  },
  'stats-port': {
    value: 'port',
    default: '1024',
    help: 'The port of HAProxy’s statistics page.',
    check: aNumber('a port', 1, 65535),
  },
} as const satisfies Record<string, Option>

export const commands = {
  status: {
    help: 'Show how each Service is treated, zone by zone.',
    options: {
      ...common,
      ...namespace,
      all: { short: 'a', help: 'Also Services that nobody asked to have routed by zone.' },
    },
  },
  doctor: {
    help: 'Find what is wrong or missing, and say how to mend it.',
    options: { ...common, ...stats, 'no-stats': { help: 'Leave HAProxy’s statistics aside.' } },
  },
  report: {
    help: 'Show by HAProxy’s own counters what stayed in its zone, and what the rest costs.',
    options: {
      ...common,
      ...namespace,
      ...stats,
      price: {
        value: 'dollars',
        default: '0.02',
        help: 'For a GB that crosses: most clouds take 0.01 where it leaves a zone and 0.01 where it enters one.',
        check: aNumber('an amount such as 0.02', 0, 1_000),
      },
      save: { value: 'file', help: 'Save the counters, for a later --since.' },
      since: { value: 'file', help: 'Count from a saved run on.' },
      svg: { value: 'file', help: 'Draw it.' },
    },
  },
  cleanup: {
    help: 'Take away all that zonefirst wrote; without --yes only say what that would be.',
    options: {
      ...common,
      yes: { short: 'y', help: 'Do it.' },
      'stop-annotator': { help: 'Scale the annotator to 0 first: it would write everything again.' },
      wait: {
        value: 'seconds',
        default: '60',
        help: 'How long every HAProxy may take to reload after the annotations are gone.',
        check: aNumber('a number of seconds', 0, 3_600),
      },
    },
  },
} as const satisfies Record<string, { help: string; options: Record<string, Option> }>

export type CommandName = keyof typeof commands

export interface CommandLine {
  command: CommandName | 'help' | 'version'
  /** of `help`: which command's */
  about?: CommandName
  text: (option: string) => string | undefined
  isSet: (option: string) => boolean
}

/** Throws a Problem of usage. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const [first, ...rest] = argv
  const none = { text: () => undefined, isSet: () => false }
  if (first === undefined || ['help', '--help', '-h'].includes(first)) {
    const [about] = rest
    return { command: 'help', ...(about !== undefined && isCommand(about) && { about }), ...none }
  }
  if (['version', '--version'].includes(first)) return { command: 'version', ...none }
  if (!isCommand(first)) {
    throw usage(`There is no command ${first}: it is one of ${Object.keys(commands).join(', ')}.`)
  }
  const options: Record<string, Option> = commands[first].options
  const values = parse(first, options, rest)
  for (const [name, option] of Object.entries(options)) {
    const value = values[name]
    // as from a variable that is not set: to go on as if it weren't there would say something else than what was asked
    if (value === '') throw usage(`--${name} is empty: give it a value, or leave it out.`)
    const must = typeof value === 'string' ? option.check?.(value) : undefined
    if (must !== undefined) throw usage(`--${name} is ${JSON.stringify(value)}, but must be ${must}.`)
  }
  if (values.help === true) return { command: 'help', about: first, ...none }
  return {
    command: first,
    text: (option) => {
      const value = values[option] ?? options[option]?.default
      return typeof value === 'string' ? value : undefined
    },
    isSet: (option) => values[option] === true,
  }
}

export function helpText(about?: CommandName): string {
  if (about === undefined) {
    const rows = Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(10)}${help}`)
    return [
      'zonefirst keeps ingress traffic in its own zone; this shows and checks what it does.',
      '',
      'Usage: zonefirst <command> [options]',
      '',
      ...rows,
      '',
      'zonefirst <command> --help lists the options of a command.',
      `Exit codes: ${codes}.`,
      '',
    ].join('\n')
  }
  const { help, options } = commands[about]
  const rows = Object.entries<Option>(options).map(([name, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `
    const value = option.value === undefined ? '' : ` <${option.value}>`
    const usual = option.default === undefined ? '' : ` (${option.default})`
    return `  ${`${short}--${name}${value}`.padEnd(32)}${option.help}${usual}`
  })
  return [help, '', `Usage: zonefirst ${about} [options]`, '', ...rows, ''].join('\n')
}

const codes = [
  '0 all is well',
  '1 something was found',
  '2 wrong command line',
  '3 the cluster can’t be reached, is too old or refuses',
  '4 a fault of zonefirst',
].join(', ')

function parse(command: CommandName, options: Record<string, Option>, args: string[]) {
  try {
    const declared = Object.entries(options).map(([name, { value, short }]) => {
      const type: 'string' | 'boolean' = value === undefined ? 'boolean' : 'string'
      return [name, { type, ...(short !== undefined && { short }) }] as const
    })
    return parseArgs({ args, options: Object.fromEntries(declared), strict: true }).values
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split('. ')
    throw usage(`${sentence.replace(/\.$/, '')}: see zonefirst ${command} --help.`)
  }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}

function usage(message: string): Problem {
  return new Problem(message, exitCodes.usage)
}
