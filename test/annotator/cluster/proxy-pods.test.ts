import t, { type Test } from 'tap'
import { ProxyPods } from '../../../annotator/cluster/proxy-pods.ts'
import type { ProxyPod } from '../../../annotator/objects/proxy-pod.ts'
import { pod } from '../../fixtures/cluster-objects.ts'

const proxy: ProxyPod = {
  address: '10.88.1.1',
  configMap: undefined,
  tcpServices: undefined,
  missing: [],
  hasNodeDNS: false,
  isStampedLate: false,
}
const proxyIn = (namespace: string, isReadyProxy = true) =>
  pod(`proxy-of-${namespace}`, 'a', { namespace, isReadyProxy, proxy })

function proxyPods(t: Test, namespaces: readonly string[]) {
  const refused = async () => {
    throw new Error('nothing is to be asked')
  }
  const kube = { request: refused, stream: refused, close() {} }
  const pods = new ProxyPods({
    kube,
    namespaces,
    onChange: () => t.fail(),
    onError: (error) => t.fail(error.message),
  })
  return { pods, names: () => [...pods.values()].map(({ namespace }) => namespace) }
}

t.test('ready proxies come, move and go', async (t) => {
  const { pods, names } = proxyPods(t, [])
  t.ok(pods.note(proxyIn('ingress'), undefined))
  t.notOk(pods.note(proxyIn('ingress'), proxyIn('ingress')), 'as before')
  t.notOk(pods.note(pod('web-1', 'a'), undefined), 'no proxy')
  t.ok(pods.note(proxyIn('ingress', false), proxyIn('ingress')), 'no more ready')
  t.strictSame(names(), ['ingress'])
  t.notOk(pods.note(undefined, proxyIn('ingress', false)))
  t.strictSame(names(), [])
})

t.test(
  'where namespaces are given, pods elsewhere that call themselves proxies count for nothing',
  async (t) => {
    const { pods, names } = proxyPods(t, ['ingress'])
    const pretender = pod('x', 'a', {
      namespace: 'shop',
      isReadyProxy: true,
      proxy: { ...proxy, configMap: 'shop/settings' },
    })
    t.notOk(pods.isTrusted(pretender))
    t.notOk(pods.note(pretender, undefined), 'no traffic is taken to arrive there')
    t.ok(pods.note(proxyIn('ingress'), undefined))
    t.strictSame(names(), ['ingress'])
    t.strictSame(pods.configMaps.contents, [], 'nor does its ConfigMap hold for others')
    t.notOk(pods.note(undefined, pretender))
  },
)
