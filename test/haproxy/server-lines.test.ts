// Every text that the dialects can produce is one that HAProxy takes, in a whole configuration, whatever its environment:
// the controller can't switch a faulty one off. With the HAProxy of the other tests, and with the one that
// HAPROXY_NEWEST names.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { fewestSlots, mostSlots } from '../../annotator/plan/slots.ts'
import { hashedPrefix, readablePrefix } from '../../annotator/plan/zonal-name.ts'
import { zoneKey } from '../../lib/zone.ts'
import { prepare } from '../cluster/prepare.ts'
import { backendName, dialects, renderBackends, type Sketch } from './backends.ts'
import { auxiliaryFile, configuration } from './configuration.ts'
import { haproxyPrograms } from './programs.ts'

prepare(process.env)

const letter = fc.constantFrom(...'abcxyz')
const inner = fc.constantFrom(...'abcxyz019-')
const label = (maxLength: number) =>
  fc
    .tuple(letter, fc.string({ unit: inner, maxLength: maxLength - 2 }), letter)
    .map(([first, middle, last]) => `${first}${middle}${last}`)

const sketch: fc.Arbitrary<Sketch> = fc
  .record({
    namespace: label(63),
    name: label(63),
    isHashed: fc.boolean(),
    slots: fc.integer({ min: Math.log2(fewestSlots), max: Math.log2(mostSlots) }).map((power) => 2 ** power),
    port: fc.oneof(fc.constantFrom(1, 80, 8080, 65535), fc.integer({ min: 1, max: 65535 })),
    family: fc.constantFrom('ipv4' as const, 'ipv6' as const),
    dialect: fc.constantFrom(...Object.values(dialects)),
  })
  .map(({ isHashed, ...rest }) => {
    const { namespace, name } = rest
    const prefix = (isHashed ? undefined : readablePrefix(name)) ?? hashedPrefix(namespace, name)
    return { ...rest, prefix, endpoints: ['127.88.1.1', '127.88.2.1'] }
  })
const sketches = fc.uniqueArray(sketch, { minLength: 4, maxLength: 8, selector: backendName })

const zone = fc.oneof(
  fc.constantFrom('eu-west-1a', 'europe-west1-b', '1', '0', 'westeurope-1'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 63 }),
)
/** What a controller's container may have: both variables, or either or both missing or empty. */
const environment = fc.oneof(
  zone.map((name) => ({ ZONE: zoneKey(name), ZONE_RESOLVERS: 'zonefirst' })),
  fc.record(
    {
      ZONE: fc.constantFrom('', 'eu-west-1a'),
      ZONE_RESOLVERS: fc.constantFrom('', 'zonefirst'),
    },
    { requiredKeys: [] },
  ),
)

/** What HAProxy says, and its status. */
function check(program: string, backends: Iterable<string>, env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'zonefirst-check-'))
  try {
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(
      file,
      configuration(backends, { socket: join(folder, 'admin.sock'), listen: '127.0.0.1:8000' }),
    )
    const { status, stdout, stderr } = spawnSync(program, ['-c', '-f', file, '-f', auxiliaryFile], {
      env,
      encoding: 'utf8',
    })
    return { status, output: `${stdout}${stderr}` }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

for (const { program, version } of haproxyPrograms(process.env)) {
  t.test(`HAProxy ${version} takes every text of every dialect`, async (t) => {
    let texts = 0
    fc.assert(
      fc.property(sketches, environment, (services, env) => {
        const backends = renderBackends(services)
        for (const service of services) {
          const text = backends.get(backendName(service)) ?? ''
          if (!text.includes(`server-template local-${service.port}- ${service.slots} "`)) {
            throw new Error(`the server lines are missing:\n${text}`)
          }
        }
        texts += backends.size
        const { status, output } = check(program, backends.values(), env)
        if (status !== 0) throw new Error(output)
        if (/server-template|local-/.test(output)) throw new Error(`a warning: ${output}`)
      }),
      { numRuns: 60 },
    )
    t.ok(texts >= 200, `${texts} texts`)
  })

  t.test(`HAProxy ${version} refuses what these texts must never hold`, async (t) => {
    const [text = ''] = renderBackends([
      { name: 'web', dialect: dialects.annotation, endpoints: [] },
    ]).values()
    const env = { ZONE: 'eu-west-1a', ZONE_RESOLVERS: 'zonefirst' }
    t.equal(check(program, [text], env).status, 0)
    const faulty = {
      'no slots': text.replace('local-8080- 8 ', 'local-8080- 0 '),
      'a port that is a name': text.replace('svc.cluster.local:8080', 'svc.cluster.local:http'),
      'a block without an end': text.replace('.endif', ''),
    }
    for (const [what, wrong] of Object.entries(faulty)) {
      t.not(wrong, text)
      t.not(check(program, [wrong], env).status, 0, what)
    }
    const unknown = check(program, [text], { ...env, ZONE_RESOLVERS: 'unknown' })
    t.not(unknown.status, 0, 'a resolvers section that is not there')
  })
}
