// The application of tests and demo: a small HTTP server that says which pod answered. On SIGTERM it finishes what it
// has begun, unless DIE_AT_ONCE is set.
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const { PORT = '8080', POD = '', ZONE = '', DIE_AT_ONCE } = process.env
let ending = false
const block = Buffer.alloc(64 * 1024, 'zonefirst ')

const server = http.createServer(async (request, response) => {
  const [, kind, value] = (request.url ?? '').split('/')
  response.setHeader('x-pod', POD)
  response.setHeader('x-zone', ZONE)
  if (kind === 'slow') await pause(Number(value))
  // a connection that stays open would delay the end
  if (ending) response.setHeader('connection', 'close')
  if (kind !== 'bytes') return response.end(`${POD} in ${ZONE}\n`)
  const length = Number(value)
  response.setHeader('content-length', length)
  for (let sent = 0; sent < length; sent += block.length) response.write(block.subarray(0, length - sent))
  response.end()
})
server.listen(Number(PORT))

process.on('SIGTERM', () => {
  if (DIE_AT_ONCE) process.exit(0)
  ending = true
  server.close(() => process.exit(0))
  server.closeIdleConnections()
})
