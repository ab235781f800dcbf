import { readFileSync } from 'node:fs'
import t from 'tap'
import { addressesPerAnswer, adviceOn } from '../../../annotator/plan/advice.ts'
import { desired } from '../../../annotator/plan/desired.ts'
import type { Dialect } from '../../../annotator/plan/dialects/dialect.ts'
import { haproxyIngressSnippet } from '../../../annotator/plan/dialects/haproxy-ingress-snippet.ts'
import { haproxytechCustomAnnotation } from '../../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import type { Input } from '../../../annotator/plan/input.ts'
import { settings } from '../../../annotator/settings.ts'
import { endpoints, input, pod, service } from '../../fixtures/cluster-objects.ts'

const advised = (given: Input, size = 8192, dialect: Dialect = haproxytechCustomAnnotation) => {
  const want = desired(given, dialect, { bound: 1.25, now: 0, memory: {} })
  if (!want.routed) throw new Error(want.refusal.message)
  return adviceOn(given, want, dialect, size)
}
const podsIn = (zone: string, count: number) =>
  Array.from({ length: count }, (_, index) => pod(`${zone}-${index}`, zone))
const withPods = (...pods: ReturnType<typeof pod>[]) =>
  input({ pods, endpoints: [endpoints(pods.map(({ name }) => name))] })

t.test('how many addresses an answer holds, as measured', async (t) => {
  t.equal(addressesPerAnswer('x'.repeat(32), 'ipv4', 512), 28)
  t.equal(addressesPerAnswer('x'.repeat(88), 'ipv4', 512), 24)
  t.equal(addressesPerAnswer('x'.repeat(32), 'ipv4', 8192), 508)
  t.equal(addressesPerAnswer('x'.repeat(32), 'ipv6', 512), 16)
  t.equal(addressesPerAnswer('x'.repeat(600), 'ipv4', 512), 0)
})

t.test('the size that is assumed is the one of the section that is installed', async (t) => {
  const text = readFileSync('manifests/ingress-controller/haproxy-aux.cfg', 'utf8')
  t.equal(Number(/accepted_payload_size (\d+)/.exec(text)?.[1]), settings.answerSize.default)
})

t.test('a zone with more pods than an answer holds', async (t) => {
  // web-in-a.shop.svc.cluster.local has 31 characters
  const most = withPods(...podsIn('a', 28), ...podsIn('b', 1))
  t.strictSame(advised(most, 512), [])
  const more = withPods(...podsIn('a', 29), ...podsIn('b', 1))
  t.match(advised(more, 512), [
    { reason: 'AnswerTooLarge', message: /^29 pods serve zone a, but a DNS answer of 512 bytes holds 28 / },
  ])
  t.strictSame(advised(more), [], 'which the installed section takes')
  const idle = [...podsIn('a', 28), pod('a-idle', 'a')]
  const notReady = input({ pods: idle, endpoints: [endpoints(idle.slice(0, 28).map(({ name }) => name))] })
  t.strictSame(advised(notReady, 512), [], 'pods that are not ready have no address there')
})

t.test('a zone with more pods than a proxy takes', async (t) => {
  const advice = advised(withPods(...podsIn('a', 513)), 65_535)
  t.match(advice, [
    { reason: 'TooFewSlots', message: /^513 pods serve zone a, but a proxy takes 512 at most/ },
  ])
  t.strictSame(advised(withPods(...podsIn('a', 512)), 65_535), [])
})

t.test('a limit that is divided by the number of controllers', async (t) => {
  const proxies = (...counts: number[]) => ({
    proxies: new Map(counts.map((count, index) => ['abc'.charAt(index), count])),
    shares: new Map(counts.map((_, index) => ['abc'.charAt(index), 1 / counts.length])),
  })
  const limited = (value: string, on: Partial<Input>) =>
    input({
      primary: service({
        metadata: { ...service().metadata, annotations: { 'haproxy.org/pod-maxconn': value } },
      }),
      ...on,
    })
  const [advice, ...others] = advised(limited('30', proxies(2, 2, 2)))
  t.strictSame(others, [])
  t.equal(advice?.reason, 'MaxconnDivided')
  t.match(advice?.message, /^pod-maxconn 30 \(set on the Service\) is divided by the 6 controllers/)
  t.match(advice?.message, /as few as 2 of them: it gets 10 connections/)
  t.match(advice?.message, /set it to 90$/)
  const controllerSettings = [{ 'pod-maxconn': '30' }]
  t.match(advised(input({ controllerSettings, ...proxies(1, 1) })), [
    { message: /\(set in the controller’s ConfigMap\).*it gets 15 connections.*set it to 60$/ },
  ])
  const rows = [
    { name: 'all controllers in one zone', given: limited('30', proxies(6)) },
    { name: 'no limit', given: input(proxies(2, 2)) },
    { name: 'none that the controller reads', given: limited('many', proxies(2, 2)) },
    { name: 'less than there are controllers: to HAProxy that is none', given: limited('3', proxies(2, 2)) },
    { name: 'no controller ready', given: limited('30', {}) },
  ]
  for (const { name, given } of rows) t.strictSame(advised(given), [], name)
})

t.test('haproxy-ingress divides nothing', async (t) => {
  const proxies = new Map([
    ['a', 1],
    ['b', 1],
  ])
  const shares = new Map([
    ['a', 0.5],
    ['b', 0.5],
  ])
  const given = input({ controllerSettings: [{ 'pod-maxconn': '30' }], proxies, shares })
  t.strictSame(advised(given, 8192, haproxyIngressSnippet), [])
})

t.test('each is one sentence that an Event can hold', async (t) => {
  const all = [
    ...advised(withPods(...podsIn('a', 29)), 512),
    ...advised(withPods(...podsIn('a', 513)), 65_535),
  ]
  for (const { reason, message } of all) {
    t.match(message, /^\S[^\n]*[^.]$/, reason)
    t.ok(message.length < 1_024, reason)
  }
})
