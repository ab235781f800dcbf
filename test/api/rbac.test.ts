// What the accounts of the three programs may and may not do, as the API server itself decides it from the manifests.
import '../cluster/enter.ts'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { startCluster } from '../cluster/cluster.ts'
import { objectsIn } from '../manifests/chart.ts'

const cluster = await startCluster({ zones: ['a'] })
t.teardown(() => cluster.stop())
await cluster.kubectl('apply', '-f', 'manifests/install-self-managed.yaml')

const system = 'zonefirst-system'

/** A row reads `verb resource[.group][/subresource] [in namespace] [named name]`. */
async function isAllowed(account: string, row: string): Promise<boolean | undefined> {
  const [, verb, path = '', namespace, name] = /^(\S+) (\S+)(?: in (\S+))?(?: named (\S+))?$/.exec(row) ?? []
  const [kind = '', subresource] = path.split('/')
  const [resource, ...group] = kind.split('.')
  const { status } = await cluster.kube.request<{ status: { allowed: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      spec: {
        user: `system:serviceaccount:${system}:${account}`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${system}`, 'system:authenticated'],
        resourceAttributes: { verb, group: group.join('.'), resource, subresource, namespace, name },
      },
    },
  })
  return status.allowed
}

const nobodyMay = [
  'create pods in shop',
  'delete pods in shop',
  'update pods in shop',
  'patch pods/status in shop',
  'create pods/exec in shop',
  'create pods/binding in shop',
  'create pods/eviction in shop',
  'get pods/log in shop',
  'patch pods/ephemeralcontainers in shop',
  'update services in shop',
  'patch services/status in shop',
  'patch nodes',
  'create nodes',
  'delete nodes',
  'patch endpointslices.discovery.k8s.io in shop',
  'create endpointslices.discovery.k8s.io in shop',
  'patch ingresses.networking.k8s.io in shop',
  'create configmaps in shop',
  'get configmaps in shop',
  'get configmaps in kube-system',
  'get secrets in shop',
  'list secrets in zonefirst-system',
  'list secrets in shop',
  'create serviceaccounts/token in zonefirst-system',
  'impersonate users',
  'create deployments.apps in shop',
  'patch deployments.apps in zonefirst-system',
  'patch validatingadmissionpolicies.admissionregistration.k8s.io',
  'delete validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'create mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'patch mutatingwebhookconfigurations.admissionregistration.k8s.io named another',
  'create rolebindings.rbac.authorization.k8s.io in zonefirst-system',
  'escalate clusterroles.rbac.authorization.k8s.io',
  'patch namespaces',
  'delete events in shop',
]

const accounts = {
  'zonefirst-annotator': {
    may: [
      ...['list', 'watch', 'create', 'patch', 'delete'].map((verb) => `${verb} services in shop`),
      ...['list', 'watch', 'patch'].map((verb) => `${verb} pods in shop`),
      ...['list', 'watch'].flatMap((verb) => [
        `${verb} nodes`,
        `${verb} endpointslices.discovery.k8s.io`,
        `${verb} ingresses.networking.k8s.io`,
        `${verb} ingressclasses.networking.k8s.io`,
        `${verb} tcps.ingress.v3.haproxy.org`,
        `${verb} tcps.ingress.v1.haproxy.org`,
        `${verb} backends.ingress.v3.haproxy.org`,
        `${verb} backends.ingress.v1.haproxy.org`,
      ]),
      ...['get', 'create', 'patch'].map((verb) => `${verb} events in shop`),
      'create configmaps in zonefirst-system named zonefirst-zones',
      'patch configmaps in zonefirst-system named zonefirst-zones',
      'create leases.coordination.k8s.io in zonefirst-system',
      'get leases.coordination.k8s.io in zonefirst-system named zonefirst-annotator',
      'update leases.coordination.k8s.io in zonefirst-system named zonefirst-annotator',
    ],
    mayNot: [
      'delete leases.coordination.k8s.io in zonefirst-system named zonefirst-annotator',
      'update leases.coordination.k8s.io in zonefirst-system named another',
      'update leases.coordination.k8s.io in kube-system named zonefirst-annotator',
      'patch configmaps in zonefirst-system named another',
      'delete configmaps in zonefirst-system named zonefirst-zones',
      'get configmaps in zonefirst-system',
      'get secrets in zonefirst-system named zonefirst-webhook-ca',
    ],
  },
  'zonefirst-webhook': {
    may: ['get', 'list', 'watch'].flatMap((verb) => [`${verb} pods in shop`, `${verb} nodes`]),
    mayNot: [
      'patch pods in shop',
      'patch services in shop',
      'create events in shop',
      'get secrets in zonefirst-system named zonefirst-webhook-tls',
    ],
  },
  'zonefirst-certs': {
    may: [
      'create secrets in zonefirst-system',
      ...['get', 'list', 'watch', 'update'].flatMap((verb) => [
        `${verb} secrets in zonefirst-system named zonefirst-webhook-ca`,
        `${verb} secrets in zonefirst-system named zonefirst-webhook-tls`,
      ]),
      ...['get', 'list', 'watch', 'patch'].map(
        (verb) => `${verb} mutatingwebhookconfigurations.admissionregistration.k8s.io named zonefirst`,
      ),
    ],
    mayNot: [
      'get secrets in zonefirst-system named another',
      'delete secrets in zonefirst-system named zonefirst-webhook-tls',
      'create secrets in shop',
      'list pods in shop',
      'list nodes',
      'patch pods in shop',
      'patch services in shop',
    ],
  },
}

const objects = objectsIn(readFileSync('manifests/install-self-managed.yaml', 'utf8'))

interface Rule {
  apiGroups: string[]
  resources: string[]
  verbs: string[]
}

/** Rows without namespaces and names. */
function granted(account: string): string[] {
  const roles = objects.filter(({ kind, metadata }) => /Role$/.test(kind) && metadata.name === account)
  const rows = roles.flatMap(({ rules }) =>
    (rules as Rule[]).flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => {
        const names = resources.map((resource) => (group === '' ? resource : `${resource}.${group}`))
        return names.flatMap((name) => verbs.map((verb) => `${verb} ${name}`))
      }),
    ),
  )
  return [...new Set(rows)].sort()
}

for (const [account, { may, mayNot }] of Object.entries(accounts)) {
  t.test(account, async (t) => {
    for (const row of may) t.equal(await isAllowed(account, row), true, `may ${row}`)
    for (const row of [...mayNot, ...nobodyMay])
      t.equal(await isAllowed(account, row), false, `may not ${row}`)
    const listed = may.map((row) => row.split(' ').slice(0, 2).join(' '))
    t.strictSame(granted(account), [...new Set(listed)].sort(), 'nothing is granted that is not listed here')
  })
}
