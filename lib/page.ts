// Reads pages that others serve, such as a proxy's statistics. Who serves one is not trusted: it can neither send the
// reader elsewhere, nor keep it waiting, nor fill its memory.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

export interface PageLimits {
  /** ms, until the whole page has come */
  time: number
  /** in characters */
  length: number
}

export interface Page {
  status: number
  text: string
}

/** Opens a page at an address, on a connection of its own: one that is used again may lead to a process that was replaced. */
export function readPage(address: string, port: number, path: string, limits: PageLimits): Promise<Page> {
  const host = address.includes(':') ? `[${address}]` : address
  return readWithin(`http://${host}:${port}${path}`, limits, async (signal) => {
    const headers = { connection: 'close' }
    const asking = request({ host: address, port, path, agent: false, headers, signal }).end()
    const answered = once(asking, 'response')
    // an error that comes with the answer under way is thrown where that is read
    asking.on('error', () => {})
    const [answer] = (await answered) as [IncomingMessage]
    return answer
  })
}

/** Reads what `open` gets, which the signal has to end. `name` is the page's in errors. */
export async function readWithin(
  name: string,
  { time, length }: PageLimits,
  open: (signal: AbortSignal) => Promise<IncomingMessage>,
): Promise<Page> {
  const signal = AbortSignal.timeout(time)
  try {
    const answer = await open(signal)
    let text = ''
    for await (const chunk of answer.setEncoding('utf8')) {
      text += chunk
      if (text.length > length) throw new Error(`${name} is longer than ${length / 2 ** 20} MiB`)
    }
    return { status: answer.statusCode ?? 0, text }
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Error(`${name} did not come whole within ${time / 1_000} s`, { cause: error })
  }
}
