// The serving certificate, and the authority of clients where they are verified: read from mounted files, read again
// whenever those change. The kubelet swaps a whole folder by renaming a symbolic link, and may do so between two reads: a
// pair that doesn't match is tried again.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface KeyPair {
  cert: Buffer
  key: Buffer
  /** Of whom clients have to show a certificate; undefined where none is asked of them. */
  clientCA: Buffer | undefined
}

export interface CertificateOptions {
  folder: string
  /** A file of certificates; empty where clients aren't verified. Its changes are seen by polling. */
  clientCAFile?: string
  /** Takes a pair into use; what it throws counts as a broken pair. */
  use: (pair: KeyPair) => void
  /** A new pair is in use. */
  onLoaded?: (certificate: X509Certificate) => void
  /** The files can't be used: what was loaded before stays in use. Told once for each new fault. */
  onError?: (error: Error) => void
  /** File events can get lost, so the files are also read this often. */
  pollMs?: number
}

export class ServingCertificate {
  readonly #options: CertificateOptions
  #current: X509Certificate | undefined
  #loaded: KeyPair | undefined
  #fault = ''
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #reading: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(options: CertificateOptions) {
    this.#options = options
  }

  /** Resolves after the first attempt, whether or not it found a usable pair. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => this.#refresh(), this.#options.pollMs ?? 10_000)
    await this.#refresh()
  }

  stop(): void {
    this.#stopped = true
    clearInterval(this.#timer)
    this.#watcher?.close()
  }

  /** The certificate in use; undefined until the first usable pair. */
  get current(): X509Certificate | undefined {
    return this.#current
  }

  /** One read at a time; whoever asks during one is served by the next. */
  #refresh(): Promise<void> {
    if (this.#reading) {
      this.#again = true
      return this.#reading
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined
      if (!this.#again) return
      this.#again = false
      void this.#refresh()
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    const { folder, clientCAFile = '', use, onLoaded, onError } = this.#options
    try {
      this.#watch()
      const [cert, key, clientCA] = await Promise.all([
        readFile(join(folder, 'tls.crt')),
        readFile(join(folder, 'tls.key')),
        clientCAFile === '' ? undefined : readFile(clientCAFile),
      ])
      if (this.#stopped) return
      const pair = { cert, key, clientCA }
      if (this.#loaded === undefined || !isSame(this.#loaded, pair)) {
        const certificate = check(pair)
        use(pair)
        this.#loaded = pair
        this.#current = certificate
        onLoaded?.(certificate)
      }
      this.#fault = ''
    } catch (error) {
      const { message } = error as Error
      if (this.#stopped || message === this.#fault) return
      this.#fault = message
      onError?.(new Error(`the certificate in ${folder} can't be used: ${message}`, { cause: error }))
    }
  }

  /** Throws while there is no folder: the next poll tries again. */
  #watch(): void {
    if (this.#watcher || this.#stopped) return
    this.#watcher = watch(this.#options.folder, () => void this.#refresh())
    this.#watcher.on('error', () => {
      this.#watcher?.close()
      this.#watcher = undefined
    })
  }
}

function isSame(one: KeyPair, other: KeyPair): boolean {
  const sameCA = one.clientCA === undefined || (other.clientCA?.equals(one.clientCA) ?? false)
  return one.cert.equals(other.cert) && one.key.equals(other.key) && sameCA
}

/** Throws where the pair can't serve; one that has expired can, and is told by its metric. */
function check({ cert, key, clientCA }: KeyPair): X509Certificate {
  const certificate = new X509Certificate(cert)
  if (!certificate.checkPrivateKey(createPrivateKey(key))) {
    throw new Error('tls.key is not the key of tls.crt')
  }
  // an authority that can't be read would be taken for none at all
  if (clientCA !== undefined) new X509Certificate(clientCA)
  return certificate
}
