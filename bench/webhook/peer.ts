// The programs that the webhook is measured against and with, built from the folder that ZONEFIRST_PEER names: a Go
// webhook that does the same job, an API server's pods and nodes made up, and a load generator that posts reviews the way
// kube-apiserver does.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { runCommand } from '../../test/cluster/command.ts'

export interface PeerPrograms {
  peer: string
  fakeapi: string
  loadgen: string
}

export type PeerForm = 'lean peer' | 'peer as Envoy Gateway does it' | 'peer, metadata only'
/** What is compared: our webhook, the peer in three forms, and the floor of ours, a bare fastify server. */
export type Subject = 'zonefirst' | 'bare fastify' | PeerForm

export const peerFlags: Record<PeerForm, string[]> = {
  'lean peer': ['-log-node=false'],
  'peer as Envoy Gateway does it': [],
  'peer, metadata only': ['-log-node=false', '-meta'],
}

export async function buildPeer(env: NodeJS.ProcessEnv): Promise<PeerPrograms> {
  const source = resolve(env.ZONEFIRST_PEER ?? '../shared/peer')
  if (!existsSync(`${source}/go.mod`)) {
    throw new Error(`no Go module at ${source}: name the peer's folder by ZONEFIRST_PEER`)
  }
  const folder = resolve('.cache/peer')
  await runCommand(['go', 'build', '-o', `${folder}/`, './cmd/...'], { cwd: source })
  return { peer: `${folder}/peer`, fakeapi: `${folder}/fakeapi`, loadgen: `${folder}/loadgen` }
}
