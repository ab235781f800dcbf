// Pure: with what settings the annotator of a cluster runs, as far as its Deployment says so.
import type { V1Deployment } from '@kubernetes/client-node'
import { type ClassRule, classRuleOf } from '../annotator/objects/routes.ts'
import { dialects } from '../annotator/plan/dialects/all.ts'
import type { Dialect } from '../annotator/plan/dialects/dialect.ts'
import { settings } from '../annotator/settings.ts'
import type { KubeObject } from '../lib/kube.ts'
import { readSettings } from '../lib/settings.ts'
import type { Found } from './reading.ts'

/** Its Deployment's. */
export const annotatorName = 'zonefirst-annotator'

export type Deployment = V1Deployment & KubeObject

export interface Installation {
  isInstalled: boolean
  dialect: Dialect
  dialectName: keyof typeof dialects
  dialects: readonly Dialect[]
  classRule: ClassRule
  bound: number
  /** by zone key; empty: as the ready proxies are spread */
  zoneShares: ReadonlyMap<string, number>
  /** where pods that call themselves proxies are believed; empty: everywhere */
  proxyNamespaces: readonly string[]
  graceTime: number
  releaseTime: number
  /** why its settings could not be read: the annotator won't start with them either */
  fault?: string
}

/** Where there is no annotator, or its settings are wrong, what it would be without any. */
export function installationOf({ annotator }: { annotator: Found<Deployment> }): Installation {
  const deployment = 'value' in annotator ? annotator.value : undefined
  const containers = deployment?.spec?.template.spec?.containers ?? []
  const env = Object.fromEntries(
    containers.flatMap(({ env }) => (env ?? []).map(({ name, value }) => [name, value])),
  )
  const { values, fault } = read(env)
  const dialect = dialects[values.dialect]
  return {
    isInstalled: deployment !== undefined,
    dialect,
    dialectName: values.dialect,
    dialects: Object.values(dialects),
    classRule: classRuleOf(values, dialect.controller),
    bound: values.loadBound,
    zoneShares: values.zoneShares,
    proxyNamespaces: values.proxyNamespaces,
    graceTime: values.graceTime,
    releaseTime: values.releaseTime,
    ...(fault !== undefined && { fault }),
  }
}

function read(env: Readonly<Record<string, string | undefined>>) {
  try {
    return { values: readSettings(settings, env), fault: undefined }
  } catch (error) {
    return { values: readSettings(settings, {}), fault: (error as Error).message }
  }
}
