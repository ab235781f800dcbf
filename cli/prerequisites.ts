// Pure: what a cluster has to be for any command to make sense.
import type { Installation } from './installation.ts'
import { Problem } from './problem.ts'
import type { Snapshot } from './snapshot.ts'

const leastMinor = 30

/** Throws where the API server is older than zonefirst supports. */
export function checkVersion(version: string): void {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  if (major === undefined || Number(major) > 1 || Number(minor) >= leastMinor) return
  throw new Problem(
    `The cluster runs Kubernetes ${version}, and zonefirst needs 1.${leastMinor} or later: upgrade the cluster.`,
  )
}

/** Sentences that any command begins with where zonefirst can't work as it is. */
export function shortcomings(snapshot: Snapshot, installation: Installation): string[] {
  const sentences: string[] = []
  if (!installation.isInstalled) {
    const reason =
      'missing' in snapshot.annotator && snapshot.annotator.missing === 'forbidden'
        ? `You may not read Deployments in ${snapshot.systemNamespace}`
        : `There is no annotator in ${snapshot.systemNamespace} (--system-namespace names another place)`
    sentences.push(`${reason}: its settings are taken to be the usual ones.`)
  }
  if (installation.fault !== undefined)
    sentences.push(`The annotator’s settings are wrong: ${installation.fault}`)
  const { validationRules } = snapshot
  if (needsRules(installation) && 'missing' in validationRules && validationRules.missing === 'absent') {
    sentences.push(
      'The cluster does not know ValidationRules (ingress.v3.haproxy.org/v3), so no HAProxy is given the annotation: install the ingress controller 3.2 or later with its definitions, or set ZONEFIRST_DIALECT=haproxytech-snippet.',
    )
  }
  return sentences
}

export function needsRules({ dialectName }: Installation): boolean {
  return dialectName === 'haproxytech-custom-annotation'
}
