// Network namespaces and the commands of iproute2.
import { runCommand } from './command.ts'

/** Runs ip's commands in a namespace, or in the program's own. */
export async function batch(netns: string | undefined, commands: string[]): Promise<void> {
  const where = netns === undefined ? [] : ['-n', netns]
  await runCommand(['ip', ...where, '-batch', '-'], { input: `${commands.join('\n')}\n` })
}

/** What to put before a command so that it runs in the namespace; the process is the command's own. */
export function inNamespace(netns: string): string[] {
  return ['nsenter', `--net=/run/netns/${netns}`, '--']
}

export async function createNamespace(netns: string, { forwarding }: { forwarding: boolean }): Promise<void> {
  await runCommand(['ip', 'netns', 'add', netns])
  await applySettings(inNamespace(netns), { forwarding })
  await batch(netns, ['link set lo up'])
}

/** New namespaces inherit the machine's settings. Without IPv6 an idle link is really idle. */
export async function applySettings(enter: string[], { forwarding }: { forwarding: boolean }): Promise<void> {
  const settings = {
    'ipv4/ip_forward': forwarding ? 1 : 0,
    'ipv4/conf/all/rp_filter': 0,
    'ipv4/conf/default/rp_filter': 0,
    'ipv6/conf/default/disable_ipv6': 1,
  }
  const lines = Object.entries(settings).map(([name, value]) => {
    const file = `/proc/sys/net/${name}`
    return `if [ -e ${file} ]; then echo ${value} >${file}; fi`
  })
  await runCommand([...enter, 'sh', '-ec', lines.join('\n')])
}
