// A whole configuration around backends, with what the controller's own has and matters to them; and the auxiliary file
// as it is installed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../cluster/tools.ts'

export const auxiliaryFile = join(root, 'manifests/ingress-controller/haproxy-aux.cfg')
export const auxiliaryText = readFileSync(auxiliaryFile, 'utf8')

/** Requests go to the backend that their header x-backend names. */
export function configuration(
  backends: Iterable<string>,
  { socket, listen }: { socket: string; listen: string },
) {
  return `global
  stats socket ${socket} level admin
  hard-stop-after 1800000

defaults haproxytech
  log global
  option dontlognull
  option http-keep-alive
  timeout http-request 5000
  timeout connect 5000
  timeout client 50000
  timeout queue 5000
  timeout server 50000
  timeout tunnel 3600000
  timeout http-keep-alive 60000

frontend http from haproxytech
  mode http
  bind ${listen}
  use_backend %[req.hdr(x-backend)]

${[...backends].join('\n')}`
}
