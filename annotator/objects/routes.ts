// Pure: which ports of which Services the Ingresses of HAProxy classes route to.
import type { V1IngressBackend } from '@kubernetes/client-node'
import { defaultIngressClassAnnotation, ingressClassAnnotation } from '../../lib/names.ts'
import type { Ingress, IngressClass } from './objects.ts'

const standaloneAnnotation = 'haproxy.org/standalone-backend'

/** A port as an Ingress names it: by name or by number. */
export type PortReference = { name: string } | { number: number }

export interface Route {
  service: string
  port: PortReference
  /** the Ingress, where it asks for a backend of its own by the annotation haproxy.org/standalone-backend */
  standalone: string | undefined
}

/** Says which classes are the controller's own. */
export interface ClassRule {
  /** `spec.controller` of its IngressClasses; `<this>/<name>` also counts. */
  controller: string
  /** Class names that count by the old annotation alone, without an IngressClass object. */
  names: readonly string[]
  /** Whether an Ingress without any class is the controller's. */
  withoutClass: boolean
}

/** As the settings have it; `controller` is the dialect's own, where they name none. */
export function classRuleOf(
  settings: {
    ingressController: string
    ingressClassNames: readonly string[]
    ingressWithoutClass: boolean
  },
  controller: string,
): ClassRule {
  return {
    controller: settings.ingressController || controller,
    names: settings.ingressClassNames,
    withoutClass: settings.ingressWithoutClass,
  }
}

/** Whether an Ingress is the controller's: by the old annotation first, as the API's documentation orders it. */
export function isRoutedBy(rule: ClassRule, ingress: Ingress, classes: Iterable<IngressClass>): boolean {
  const name = ingress.metadata.annotations?.[ingressClassAnnotation] ?? ingress.spec?.ingressClassName
  const all = [...classes]
  if (name === undefined) {
    const fallback = all.find((each) => each.metadata.annotations?.[defaultIngressClassAnnotation] === 'true')
    return rule.withoutClass || (fallback !== undefined && isControllersClass(rule, fallback))
  }
  const named = all.find((each) => each.metadata.name === name)
  return named === undefined ? rule.names.includes(name) : isControllersClass(rule, named)
}

/** Every Service port that an Ingress routes to, in its own namespace; each once. */
export function routesOf(ingress: Ingress): Route[] {
  const backends: (V1IngressBackend | undefined)[] = [
    ingress.spec?.defaultBackend,
    ...(ingress.spec?.rules ?? []).flatMap((rule) => rule.http?.paths.map((path) => path.backend) ?? []),
  ]
  const isStandalone = ingress.metadata.annotations?.[standaloneAnnotation] === 'true'
  const standalone = isStandalone ? ingress.metadata.name : undefined
  const routes = new Map<string, Route>()
  for (const backend of backends) {
    const { name, port } = backend?.service ?? {}
    if (name === undefined || port === undefined) continue
    const reference = port.name === undefined ? { number: port.number ?? 0 } : { name: port.name }
    routes.set(`${name} ${port.name ?? port.number}`, { service: name, port: reference, standalone })
  }
  return [...routes.values()]
}

function isControllersClass(rule: ClassRule, ingressClass: IngressClass): boolean {
  const controller = ingressClass.spec?.controller ?? ''
  return controller === rule.controller || controller.startsWith(`${rule.controller}/`)
}
