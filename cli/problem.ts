// Pure: how a command ends. Every failure becomes one sentence for people and an exit code for programs.
import { ApiError } from '../lib/kube.ts'

export const exitCodes = {
  /** done, and nothing is wrong */
  fine: 0,
  /** done, and something is wrong with what was looked at */
  findings: 1,
  /** the command line is wrong */
  usage: 2,
  /** the cluster can't be reached, is too old, or refuses */
  cluster: 3,
  /** zonefirst itself is wrong */
  internal: 4,
  /** by Ctrl-C, as shells count signals */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Its message is the sentence that people get. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly exitCode: ExitCode
  constructor(message: string, exitCode: ExitCode = exitCodes.cluster) {
    super(message)
    this.exitCode = exitCode
  }
}

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut off',
  EHOSTUNREACH: 'there is no way to that address',
  ENETUNREACH: 'there is no way to that network',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name can’t be looked up',
  ETIMEDOUT: 'it does not answer',
  EPIPE: 'the connection was cut off',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not of the authority that the kubeconfig names',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not of the authority that the kubeconfig names',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not of the authority that the kubeconfig names',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not of the authority that the kubeconfig names',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

/** `server` is the API server's address, as far as it is known. */
export function problemOf(error: unknown, server: string): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ApiError) return ofAnswer(error)
  const { code, name, message } = error as NodeJS.ErrnoException
  const hint = 'see that the cluster is up and that the kubeconfig and its context are the right ones'
  if (name === 'AbortError' || name === 'TimeoutError') {
    return new Problem(`The API server at ${server} did not answer in time: ${hint}.`)
  }
  const reason = code === undefined ? undefined : networkReasons[code]
  if (reason !== undefined)
    return new Problem(`Can’t reach the API server at ${server}, as ${reason}: ${hint}.`)
  return new Problem(`zonefirst itself failed: ${message}`, exitCodes.internal)
}

function ofAnswer({ status, message }: ApiError): Problem {
  // the API server names user, verb and resource
  const said = message.replace(/^.*?: \d+ /, '')
  if (status === 401) {
    return new Problem(
      'The API server does not know these credentials: renew them, or choose another context by --context.',
    )
  }
  if (status === 403) {
    return new Problem(`Permission is missing: ${said}; docs/cli.md lists what each command needs.`)
  }
  if (status >= 500) return new Problem(`The API server failed: ${said}.`)
  return new Problem(`The API server refused: ${message}.`)
}
