// Logs go to standard output; where nothing can be written there, the program goes on without.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '../..')
const run = (script: string, stdout: number | 'pipe') =>
  spawnSync(
    process.execPath,
    ['--input-type=module', '-e', `import { buildLog } from './lib/log.ts'\n${script}`],
    {
      cwd: root,
      stdio: ['ignore', stdout, 'pipe'],
      encoding: 'utf8',
      timeout: 60_000,
    },
  )

t.test('one line of JSON for each, from the level on', async (t) => {
  const script = "const log = buildLog('info'); log.debug('no'); log.info({ zone: 'a' }, 'yes')"
  const { stdout, stderr, status } = run(script, 'pipe')
  t.equal(stderr, '')
  t.equal(status, 0)
  t.match(JSON.parse(stdout), { level: 30, zone: 'a', msg: 'yes' })
})

t.test('the disk is full', async (t) => {
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const script = `
    const log = buildLog('info')
    const line = 'x'.repeat(1_000)
    const before = process.memoryUsage().rss
    for (let i = 0; i < 100_000; i++) log.info(line)
    await new Promise((resolve) => setTimeout(resolve, 10))
    log.info('still here')
    console.error((process.memoryUsage().rss - before) / 2 ** 20 < 50 ? 'bounded' : 'too much memory')`
  const { stderr, status } = run(script, full)
  t.equal(status, 0, 'the program ends as it would have')
  t.match(stderr, 'bounded', 'what can’t be written is not kept')
})
