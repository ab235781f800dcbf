// `make bench-load-guard`: a large cluster in simulation. 5,000 Services with 100,000 pods over twelve uneven zones, then
// random churn, each change looked at by the load guard as the annotator would. Without it, each pod serves its own zone.
// And the plan for many zones against the exact one.
import { mkdir, writeFile } from 'node:fs/promises'
import type { Pod } from '../../annotator/load-guard/assign.ts'
import { type GuardMemory, guard } from '../../annotator/load-guard/guard.ts'
import { planLoad, weigh } from '../../annotator/load-guard/plan-load.ts'
import { bestSplits, mostZonesExactly, type Zone } from '../../annotator/load-guard/split.ts'
import { speaker } from '../../test/demo/steps.ts'
import { randomFrom } from './random.ts'

const bound = 1.25
const services = 5_000
const podsInAll = 100_000
const zoneCount = 12
const churnedServices = 200
const changesEach = 60
const secondsBetweenChanges = 30
const seed = 1

const random = randomFrom(seed)
const say = speaker(process.stdout)
const zones = Array.from({ length: zoneCount }, (_, index) => `zone-${index + 1}`)
// ingress controllers are spread evenly, pods are not: the first zones have three times as many as the last
const shares = new Map(zones.map((zone) => [zone, 1 / zoneCount]))
const pickZone = () => zones[Math.floor(zoneCount * random() ** 1.5)] ?? 'zone-1'
const newPod = (name: string): Pod => {
  const zone = pickZone()
  return { name, zone, serves: zone, pinned: false }
}

interface Service {
  pods: Pod[]
  memory: GuardMemory
}

/** Few large Services, many small ones, 100,000 pods together. */
function makeServices(): Service[] {
  const weights = Array.from({ length: services }, () => 1 / (0.02 + random()))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight, index) => {
    const count = Math.max(1, Math.round((podsInAll * weight) / sum))
    return { pods: Array.from({ length: count }, (_, pod) => newPod(`s${index}-${pod}`)), memory: {} }
  })
}

interface Totals {
  plans: number
  moves: number
  movedPods: number
  milliseconds: number[]
  /** Services, or seconds, with a pod over the bound: with the load guard and without */
  overloaded: number
  overloadedWithout: number
  crossing: number
  crossingBest: number
}

/** Returns ms until the next look, where time alone calls for one. */
function look(service: Service, now: number, isNew: boolean, totals: Totals): number | undefined {
  const { pods, memory } = service
  const startedAt = performance.now()
  const result = guard({ shares, pods, bound, now, memory, isNew })
  totals.milliseconds.push(performance.now() - startedAt)
  totals.plans++
  if (result === undefined) return undefined
  const moved = pods.filter(({ name, serves }) => result.serves.get(name) !== serves).length
  if (moved > 0) totals.moves++
  totals.movedPods += moved
  service.pods = pods.map((pod) => ({ ...pod, serves: result.serves.get(pod.name) }))
  service.memory = result.memory
  return result.lookAgainIn
}

const isOverloaded = (pods: readonly Pod[]) => weigh(shares, pods).worst > bound + 1e-9

const quantile = (values: number[], share: number) =>
  Math.round((values.sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0) * 1_000) / 1_000
const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`

async function main(): Promise<void> {
  const all = makeServices()
  const pods = all.reduce((sum, service) => sum + service.pods.length, 0)
  const blank = (): Totals => ({
    plans: 0,
    moves: 0,
    movedPods: 0,
    milliseconds: [],
    overloaded: 0,
    overloadedWithout: 0,
    crossing: 0,
    crossingBest: 0,
  })
  const first = blank()
  await say.step(
    `${services} Services with ${pods} pods in ${zoneCount} zones are routed for the first time`,
    async () => {
      for (const service of all) {
        first.overloadedWithout += isOverloaded(service.pods) ? 1 : 0
        look(service, 0, true, first)
        first.overloaded += isOverloaded(service.pods) ? 1 : 0
        first.crossing += weigh(shares, service.pods).crossing / services
      }
    },
  )
  const churn = blank()
  let seconds = 0
  await say.step(`${churnedServices} of them live through ${changesEach} changes each`, async () => {
    for (const service of all.filter((_, index) => index % Math.floor(services / churnedServices) === 0)) {
      for (let change = 0; change < changesEach; change++) {
        const now = (change + 1) * secondsBetweenChanges * 1_000
        const isGrowing = random() < 0.5 || service.pods.length < 2
        if (isGrowing) service.pods.push(newPod(`n${seconds}-${change}`))
        else service.pods.splice(Math.floor(random() * service.pods.length), 1)
        seconds += secondsBetweenChanges
        const home = service.pods.map((pod) => ({ ...pod, serves: pod.zone }))
        churn.overloadedWithout += isOverloaded(home) ? secondsBetweenChanges : 0
        // until the next change, whenever time calls for it
        const end = now + secondsBetweenChanges * 1_000
        for (let at: number | undefined = now; at !== undefined && at < end; ) {
          const wait = look(service, at, false, churn)
          const next = Math.min(wait === undefined ? end : at + wait, end)
          churn.overloaded += isOverloaded(service.pods) ? (next - at) / 1_000 : 0
          at = wait === undefined ? undefined : next
        }
        churn.crossing += weigh(shares, service.pods).crossing
        churn.crossingBest += planLoad(shares, service.pods, bound)?.crossing ?? 0
      }
    }
  })
  const changes = seconds / secondsBetweenChanges
  const fallback = await say.step(
    'the plan for many zones against the exact one, on 300 random Services',
    compareFallback,
  )

  const result = {
    zones: zoneCount,
    services,
    pods,
    first: {
      overloadedServicesWithout: first.overloadedWithout,
      overloadedServices: first.overloaded,
      crossing: first.crossing,
      lentOrTakenPods: first.movedPods,
      planMsMedian: quantile(first.milliseconds, 0.5),
      planMsP99: quantile(first.milliseconds, 0.99),
    },
    churn: {
      changes,
      movesPerServiceAndHour: (churn.moves * 3_600) / seconds,
      movedPodsPerChange: churn.movedPods / changes,
      timeOverloadedWithout: churn.overloadedWithout / seconds,
      timeOverloaded: churn.overloaded / seconds,
      crossing: churn.crossing / changes,
      crossingBest: churn.crossingBest / changes,
      lookMsMedian: quantile(churn.milliseconds, 0.5),
      lookMsP99: quantile(churn.milliseconds, 0.99),
    },
    fallback,
  }
  say.table(
    ['figure', 'value'],
    [
      ['Services overloaded by plain locality, at first', percent(first.overloadedWithout, services)],
      ['with the load guard', percent(first.overloaded, services)],
      ['time overloaded under churn by plain locality', percent(churn.overloadedWithout, seconds)],
      ['with the load guard (an overload has to last before pods move)', percent(churn.overloaded, seconds)],
      [
        'crossing under churn / the least possible',
        `${result.churn.crossing.toFixed(3)} / ${result.churn.crossingBest.toFixed(3)}`,
      ],
      ['moves a Service and hour, at a change every 30 s', result.churn.movesPerServiceAndHour.toFixed(1)],
      ['first plan, ms: median / p99', `${result.first.planMsMedian} / ${result.first.planMsP99}`],
      ['a look under churn, ms: median / p99', `${result.churn.lookMsMedian} / ${result.churn.lookMsP99}`],
      ['many zones: plans as good as the exact one', percent(fallback.asGood, fallback.compared)],
      [
        'many zones: crossing more than the exact one, mean / worst',
        `${fallback.meanExcess.toFixed(4)} / ${fallback.worstExcess.toFixed(4)}`,
      ],
    ],
  )
  await mkdir('build', { recursive: true })
  await writeFile('build/bench-load-guard.json', `${JSON.stringify(result, null, 2)}\n`)
}

/** Both see the same zones; zones without traffic are added for the one, until there are too many to be exact about. */
async function compareFallback() {
  let [asGood, excess, worstExcess, compared] = [0, 0, 0, 0]
  for (let run = 0; run < 300; run++) {
    const count = 4 + Math.floor(random() * (mostZonesExactly - 3))
    const some: Zone[] = Array.from({ length: count }, (_, index) => ({
      key: `z${index}`,
      share: 1 / count,
      pods: Math.floor(random() ** 2 * 12),
      pinned: 0,
    }))
    if (some.every(({ pods }) => pods === 0)) continue
    const filler = Array.from({ length: mostZonesExactly }, (_, index) => ({
      key: `f${index}`,
      share: 0,
      pods: 0,
      pinned: 0,
    }))
    const exact = bestSplits(some, bound)[0]?.crossing ?? 0
    const many = bestSplits([...some, ...filler], bound)[0]?.crossing ?? 1
    compared++
    if (many - exact < 1e-9) asGood++
    excess += many - exact
    worstExcess = Math.max(worstExcess, many - exact)
  }
  return { compared, asGood, meanExcess: excess / compared, worstExcess }
}

await main()
