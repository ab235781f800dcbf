// Pure: a resolvers section in HAProxy's configuration.

export interface Resolvers {
  /** bytes of an answer by UDP */
  payload: number
}

const usualPayload = 512

/** Undefined where the text has no section of that name. */
export function resolversIn(text: string, name: string): Resolvers | undefined {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim())
  const start = lines.findIndex((line) => line.split(/\s+/).join(' ') === `resolvers ${name}`)
  if (start < 0) return undefined
  let payload = usualPayload
  for (const line of lines.slice(start + 1)) {
    const [word, value] = line.split(/\s+/)
    if (isSection(word)) break
    if (word === 'accepted_payload_size') payload = Number(value)
  }
  return { payload }
}

function isSection(word: string | undefined): boolean {
  return [
    'resolvers',
    'global',
    'defaults',
    'frontend',
    'backend',
    'listen',
    'peers',
    'userlist',
    'cache',
    'ring',
  ].some((each) => each === word)
}
