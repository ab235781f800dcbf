// Pure: a program declares its settings once, in a table; this turns the table and the environment into typed values,
// or into one error that lists every fault.

export interface Setting<T> {
  env: string
  /** Throws an Error whose message completes "… must be". */
  parse: (text: string) => T
  /** What holds where the variable is unset or empty; without one the setting is required. */
  default?: T
  /** One sentence for people. */
  help: string
}

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>
export type Settings<Table extends SettingsTable> = {
  [Name in keyof Table]: ReturnType<Table[Name]['parse']>
}
type Environment = Readonly<Record<string, string | undefined>>

/** Throws one Error with a sentence for each fault. */
export function readSettings<Table extends SettingsTable>(table: Table, env: Environment): Settings<Table> {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [name, setting] of Object.entries(table)) {
    const text = env[setting.env]
    if (text === undefined || text === '') {
      if (!('default' in setting)) faults.push(`${setting.env} is not set, but is required: ${setting.help}`)
      values[name] = setting.default
      continue
    }
    try {
      values[name] = setting.parse(text)
    } catch (error) {
      faults.push(`${setting.env} is ${JSON.stringify(text)}, but must be ${(error as Error).message}.`)
    }
  }
  if (faults.length > 0) throw new Error(faults.join(' '))
  return values as Settings<Table>
}

export const string = (text: string): string => text

export function boolean(text: string): boolean {
  if (text === 'true') return true
  if (text === 'false') return false
  throw new Error('true or false')
}

export function oneOf<const Choice extends string>(...choices: Choice[]) {
  return (text: string): Choice => {
    const choice = choices.find((candidate) => candidate === text)
    if (choice === undefined) throw new Error(`one of ${choices.join(', ')}`)
    return choice
  }
}

export function integer({ min, max }: { min: number; max: number }) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^-?\d+$/.test(text) || value < min || value > max) {
      throw new Error(`a whole number from ${min} to ${max}`)
    }
    return value
  }
}

export function number({ min, max }: { min: number; max: number }) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^\d+(\.\d+)?$/.test(text) || value < min || value > max) {
      throw new Error(`a number from ${min} to ${max}`)
    }
    return value
  }
}

/** Positive numbers by name, from texts such as `a=2,b=1`. */
export function weights(text: string): ReadonlyMap<string, number> {
  return new Map(
    list(text).map((item) => {
      const [, name = '', amount = ''] = /^([^=]+)=(\d+(?:\.\d+)?)$/.exec(item) ?? []
      if (!(Number(amount) > 0)) throw new Error('names with positive numbers, such as a=2,b=1')
      return [name, Number(amount)]
    }),
  )
}

const millisecondsIn = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds, from texts such as "1500ms", "1.5s", "10m" or "24h". */
export function duration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  if (amount === undefined) throw new Error('a duration such as 1500ms, 2s, 10m or 24h')
  return Number(amount) * millisecondsIn[unit as keyof typeof millisecondsIn]
}

/** Texts separated by commas; spaces around them don't count. */
export function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
