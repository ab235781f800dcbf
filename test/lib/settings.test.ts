import t from 'tap'
import {
  boolean,
  duration,
  integer,
  list,
  oneOf,
  readSettings,
  type SettingsTable,
  string,
} from '../../lib/settings.ts'

t.test('parsers', async (t) => {
  const port = integer({ min: 1, max: 65535 })
  const level = oneOf('debug', 'info')
  const rows: { parse: (text: string) => unknown; text: string; want: unknown }[] = [
    { parse: string, text: ' as it is ', want: ' as it is ' },
    { parse: boolean, text: 'true', want: true },
    { parse: boolean, text: 'false', want: false },
    { parse: boolean, text: 'yes', want: /^true or false$/ },
    { parse: port, text: '1', want: 1 },
    { parse: port, text: '65535', want: 65535 },
    { parse: port, text: '0', want: /^a whole number from 1 to 65535$/ },
    { parse: port, text: '65536', want: /whole number/ },
    { parse: port, text: '1.5', want: /whole number/ },
    { parse: port, text: '0x10', want: /whole number/ },
    { parse: integer({ min: -1, max: 1 }), text: '-1', want: -1 },
    { parse: duration, text: '1500ms', want: 1_500 },
    { parse: duration, text: '1.5s', want: 1_500 },
    { parse: duration, text: '10m', want: 600_000 },
    { parse: duration, text: '24h', want: 86_400_000 },
    { parse: duration, text: '0s', want: 0 },
    { parse: duration, text: '5', want: /^a duration such as 1500ms, 2s, 10m or 24h$/ },
    { parse: duration, text: '-5s', want: /duration/ },
    { parse: list, text: 'a, b,,c ', want: ['a', 'b', 'c'] },
    { parse: level, text: 'info', want: 'info' },
    { parse: level, text: 'INFO', want: /^one of debug, info$/ },
  ]
  for (const { parse, text, want } of rows) {
    if (want instanceof RegExp) t.throws(() => parse(text), { message: want }, text)
    else t.strictSame(parse(text), want, text)
  }
})

const table = {
  port: { env: 'PORT', parse: integer({ min: 1, max: 9 }), default: 5, help: 'The port.' },
  name: { env: 'NAME', parse: string, help: 'Who it is for.' },
} as const satisfies SettingsTable

t.test('values come from the environment, else from the table', async (t) => {
  t.strictSame(readSettings(table, { NAME: 'x', OTHER: 'y' }), { port: 5, name: 'x' })
  t.strictSame(readSettings(table, { NAME: 'x', PORT: '7' }), { port: 7, name: 'x' })
  t.strictSame(readSettings(table, { NAME: 'x', PORT: '' }), { port: 5, name: 'x' }, 'empty counts as unset')
})

t.test('one error tells every fault', async (t) => {
  t.throws(() => readSettings(table, { PORT: '12' }), {
    message:
      'PORT is "12", but must be a whole number from 1 to 9. NAME is not set, but is required: Who it is for.',
  })
})
