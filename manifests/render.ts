// What is rendered from the chart, for those who install without Helm. Written by render-main.ts, held equal by a test.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

export const chart = join(import.meta.dirname, 'chart')
/** Of the cluster, where nothing else is said: the oldest one with all that the chart has. */
const kubeVersion = '1.30'

/** Rendered files of this folder, and the chart's values for each. */
export const renderings: Record<string, object> = {
  'install.yaml': { namespace: { create: true } },
  'install-self-managed.yaml': { namespace: { create: true }, certificates: { mode: 'self-managed' } },
}

export interface RenderOptions {
  helm: string
  values: object
  /** More of the command line; later ones win. */
  args?: readonly string[]
}

/** Throws an Error with what Helm complains about. */
export function helmTemplate({ helm, values, args = [] }: RenderOptions): string {
  const command = ['template', 'zonefirst', chart, '--namespace=zonefirst-system', '--values=-']
  const input = JSON.stringify(values)
  try {
    return execFileSync(helm, [...command, `--kube-version=${kubeVersion}`, ...args], {
      ...{ input, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 24 },
    })
  } catch (error) {
    throw new Error(`helm template: ${(error as { stderr?: string }).stderr || error}`)
  }
}

/** The text of a rendered file. */
export function render(helm: string, file: string): string {
  const header = '# Rendered from manifests/chart by `make manifests`: change that, and run it again.\n'
  return header + helmTemplate({ helm, values: renderings[file] ?? {} })
}
