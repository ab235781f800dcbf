// One run of a container: a process in the pod's network, with mount and host name spaces of its own. Whether it is
// started again is the pod's affair.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

export interface Mount {
  from: string
  to: string
}

export interface ContainerOptions {
  /** Enters the pod's network. */
  enter: string[]
  hostname: string
  /** Where it starts. */
  workingFolder: string
  /** Becomes the container's /run. */
  runFolder: string
  /** Made in this order, before /run is replaced: what shall lie in /run is mounted in `runFolder`. */
  mounts: Mount[]
  argv: string[]
  env: Record<string, string>
  log: string
}

export interface Container {
  readonly pid: number
  readonly env: Readonly<Record<string, string>>
  readonly startedAt: string
  /** Resolves when the main process has ended and everything that it left behind has been killed. */
  readonly ended: Promise<{ exitCode: number; signal: NodeJS.Signals | null }>
  /** To the main process, as container runtimes do it. */
  signal(signal: NodeJS.Signals): void
  /** Kills everything in the container. */
  kill(): void
}

// What is in the container is known by its mount namespace, which daemons can't leave; it is told on descriptor 3.
const script = `
readlink /proc/self/ns/mnt >&3
hostname "$1"
run=$2
folder=$3
shift 3
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "$(dirname "$2")"; [ -e "$2" ] || : >"$2"; fi
  mount --bind "$1" "$2"
  shift 2
done
shift
mount --rbind "$run" /run
cd "$folder"
exec 3>&-
exec "$@"`

export async function startContainer(options: ContainerOptions): Promise<Container> {
  const { enter, hostname, workingFolder, runFolder, mounts, argv, env, log } = options
  const output = openSync(log, 'a')
  const [program, ...args] = [
    ...enter,
    ...['unshare', '--mount', '--uts', '--'],
    ...['sh', '-ec', script, 'sh', hostname, runFolder, workingFolder],
    ...mounts.flatMap(({ from, to }) => [from, to]),
    ...['--', ...argv],
  ]
  // a group of its own: Ctrl-C is for the program that runs the cluster
  const child = spawn(program as string, args, {
    env,
    detached: true,
    stdio: ['ignore', output, output, 'pipe'],
  })
  closeSync(output)
  let space: Namespace | undefined
  const kill = () => {
    child.kill('SIGKILL')
    if (space) killAllIn(space)
  }
  const ended = new Promise<{ exitCode: number; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      kill()
      if (space) closeSync(space.handle)
      space = undefined
      resolve({ exitCode: code ?? 128, signal })
    })
  })
  // read to its end, which is the program's start; nothing is told when its preparation failed
  const name = (await Promise.race([text(child.stdio[3] as Readable), ended.then(() => '')])).trim()
  if (name && child.exitCode === null && child.signalCode === null) space = hold(child.pid as number, name)

  return {
    pid: child.pid as number,
    env,
    startedAt: new Date().toISOString(),
    ended,
    signal: (signal) => void child.kill(signal),
    kill,
  }
}

interface Namespace {
  name: string
  handle: number
}

/** As long as it is held, the kernel gives its number to no other. Undefined when the process has ended already. */
function hold(pid: number, name: string): Namespace | undefined {
  try {
    return { name, handle: openSync(`/proc/${pid}/ns/mnt`, 'r') }
  } catch {
    return undefined
  }
}

function killAllIn({ name }: Namespace): void {
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (readlinkSync(`/proc/${pid}/ns/mnt`) === name) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // it has ended meanwhile
    }
  }
}
