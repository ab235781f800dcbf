import t from 'tap'
import { classRuleOf, isRoutedBy, routesOf } from '../../../annotator/objects/routes.ts'
import { ingress, ingressClass } from '../../fixtures/cluster-objects.ts'
import { deepFreeze } from '../../fixtures/freeze.ts'

const controller = 'haproxy.org/ingress-controller'
const rule = { controller, names: ['haproxy'], withoutClass: false }
const withClass = (ingressClassName?: string) =>
  ingress({ spec: ingressClassName === undefined ? {} : { ingressClassName } })

t.test('the controller that the settings name, or else the dialect’s own', async (t) => {
  const settings = { ingressController: '', ingressClassNames: ['haproxy'], ingressWithoutClass: true }
  const want = { controller, names: ['haproxy'], withoutClass: true }
  t.strictSame(classRuleOf(settings, controller), want)
  t.strictSame(classRuleOf({ ...settings, ingressController: 'a/b' }, controller).controller, 'a/b')
})

t.test('which Ingresses are the controller’s', async (t) => {
  const ours = ingressClass('haproxy', controller)
  const other = ingressClass('haproxy', 'haproxy-ingress.github.io/controller')
  const rows = [
    { name: 'its class', ingress: withClass('haproxy'), classes: [ours], want: true },
    {
      name: 'a class of one of several controllers',
      ingress: withClass('internal'),
      classes: [ingressClass('internal', `${controller}/internal`)],
      want: true,
    },
    {
      name: 'a controller whose name only begins alike',
      ingress: withClass('x'),
      classes: [ingressClass('x', `${controller}-of-others`)],
      want: false,
    },
    {
      name: 'the other product under the same class name',
      ingress: withClass('haproxy'),
      classes: [other],
      want: false,
    },
    { name: 'a known name without an object', ingress: withClass('haproxy'), classes: [], want: true },
    { name: 'an unknown name', ingress: withClass('nginx'), classes: [ours], want: false },
    {
      name: 'the old annotation goes before the field',
      ingress: ingress({
        metadata: { annotations: { 'kubernetes.io/ingress.class': 'nginx' } },
        spec: { ingressClassName: 'haproxy' },
      }),
      classes: [ours],
      want: false,
    },
    { name: 'no class at all', ingress: withClass(), classes: [ours], want: false },
    {
      name: 'no class where the default one is the controller’s',
      ingress: withClass(),
      classes: [ingressClass('haproxy', controller, true)],
      want: true,
    },
    {
      name: 'no class where the default one is another’s',
      ingress: withClass(),
      classes: [ours, ingressClass('nginx', 'k8s.io/ingress-nginx', true)],
      want: false,
    },
  ]
  for (const { name, want, ...row } of rows) {
    t.equal(isRoutedBy(rule, deepFreeze(row.ingress), deepFreeze(row.classes)), want, name)
  }
  t.equal(
    isRoutedBy({ ...rule, withoutClass: true }, withClass(), []),
    true,
    'no class, where that is configured',
  )
})

t.test('which Service ports an Ingress routes to', async (t) => {
  const backend = (name: string, port: object) => ({ service: { name, port } })
  const path = (name: string, port: object) => ({ pathType: 'Prefix', backend: backend(name, port) })
  const paths = [path('web', { name: 'http' }), path('web', { number: 81 }), path('web', { name: 'http' })]
  const found = routesOf(
    ingress({
      spec: {
        defaultBackend: backend('fallback', { number: 80 }),
        rules: [{ host: 'a.test', http: { paths } }, { host: 'b.test' }],
      },
    }),
  )
  t.strictSame(found, [
    { service: 'fallback', port: { number: 80 }, standalone: undefined },
    { service: 'web', port: { name: 'http' }, standalone: undefined },
    { service: 'web', port: { number: 81 }, standalone: undefined },
  ])
  const resource = { resource: { kind: 'Bucket', name: 'x' } }
  t.strictSame(routesOf(ingress({ spec: { defaultBackend: resource } })), [], 'a backend that is no Service')
  const annotations = { 'haproxy.org/standalone-backend': 'true' }
  t.equal(routesOf(ingress({ metadata: { annotations } }))[0]?.standalone, 'web', 'a backend of its own')
})
