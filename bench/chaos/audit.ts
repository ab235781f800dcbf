// What zonefirst's programs write, as the API server's audit log has it. Leases are left out: they are renewed every two
// seconds whatever happens.
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemNamespace } from '../../test/scenario/zonefirst.ts'

const programs = ['annotator', 'certs', 'webhook']

export interface Audit {
  /** for the API server's command line */
  flags: readonly string[]
  /** Requests so far, whether they succeeded or not. */
  count(): number
}

export function prepareAudit(): Audit {
  const [policyFile, logFile] = ['audit-policy.json', 'audit.log'].map((name) => join(tmpdir(), name)) as [
    string,
    string,
  ]
  writeFileSync(policyFile, JSON.stringify(policy))
  writeFileSync(logFile, '')
  return {
    flags: [`--audit-policy-file=${policyFile}`, `--audit-log-path=${logFile}`],
    count: () => readFileSync(logFile, 'utf8').split('\n').length - 1,
  }
}

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', resources: [{ group: 'coordination.k8s.io' }] },
    {
      level: 'Metadata',
      verbs: ['create', 'update', 'patch', 'delete'],
      users: programs.map((name) => `system:serviceaccount:${systemNamespace}:zonefirst-${name}`),
    },
    { level: 'None' },
  ],
}
