// The annotator's work in the process of a test, for one namespace alone, so that many can run side by side; and ways to
// it that fail. Elections, signals and metrics are not in it.
import { Controller } from '../../annotator/controller.ts'
import { haproxytechCustomAnnotation } from '../../annotator/plan/dialects/haproxytech-custom-annotation.ts'
import type { ApiRequest, Kube } from '../../lib/kube.ts'

const perNamespace = /^(\/api\/v1|\/apis\/[^/]+\/v1)\/(services|pods|ingresses|endpointslices)$/

/** Informers of the whole cluster see this namespace only. */
export function within(kube: Kube, namespace: string): Kube {
  const narrow = (request: ApiRequest) => {
    return { ...request, path: request.path.replace(perNamespace, `$1/namespaces/${namespace}/$2`) }
  }
  return { ...kube, request: (r) => kube.request(narrow(r)), stream: (r) => kube.stream(narrow(r)) }
}

/** Events aside: nothing depends on them. */
export const isWrite = ({ method, path }: ApiRequest): boolean =>
  method !== 'GET' && !path.includes('/events')

/** Tells of each write before it is sent. */
export function noting(kube: Kube, onWrite: (request: ApiRequest) => void): Kube {
  return {
    ...kube,
    request(request) {
      if (isWrite(request)) onWrite(request)
      return kube.request(request)
    },
  }
}

/** Fails for ever after so many writes: the answer to the last one never comes, as if the process had ended. */
export function mortal(kube: Kube, writes: number, onDeath: () => void): Kube {
  let left = writes
  const dead = () => Promise.reject(new Error('this process has ended'))
  return {
    ...kube,
    stream: (request) => (left > 0 ? kube.stream(request) : dead()),
    async request<T>(request: ApiRequest): Promise<T> {
      if (left <= 0) return dead()
      if (!isWrite(request)) return kube.request<T>(request)
      left -= 1
      const isLast = left === 0
      const answer = await kube.request<T>(request)
      if (!isLast) return answer
      onDeath()
      return dead()
    },
  }
}

/** Times are short. It works as soon as it has read everything. */
export async function startAnnotator(reading: Kube, writing: Kube, namespace: string) {
  const controller = buildAnnotator(reading, writing, namespace)
  await controller.caches.start()
  controller.startWork()
  return controller
}

export function buildAnnotator(reading: Kube, writing: Kube, namespace: string): Controller {
  return new Controller({
    reading: within(reading, namespace),
    writing,
    namespace,
    dialect: haproxytechCustomAnnotation,
    dialects: [haproxytechCustomAnnotation],
    classRule: { controller: 'haproxy.org/ingress-controller', names: ['haproxy'], withoutClass: false },
    graceTime: 500,
    releaseTime: 500,
    bound: 1.25,
    answerSize: 8192,
    statsPort: 0,
    effectInterval: 60_000,
    zoneShares: new Map(),
    workers: 4,
    onBackfill() {},
    onOutcome() {},
    onEvent() {},
    onEventFailure() {},
    onInformerFailure() {},
    onFailure() {},
  })
}
