// Pure: which addresses HAProxy's template has, by `show servers state`: a tenth of what its statistics are, so that many
// HAProxys can be asked often.

/** A server whose name gives no address is in maintenance for that reason. */
const isUnresolved = 0x20

export function resolvedAddresses(state: string): Set<string> {
  const [header = '', ...lines] = state.split('\n').filter((line) => line.includes(' '))
  const columns = header.replace('# ', '').split(' ')
  const [name, address, admin] = ['srv_name', 'srv_addr', 'srv_admin_state'].map((column) => {
    const index = columns.indexOf(column)
    if (index < 0) throw new Error(`HAProxy tells no ${column} of its servers: ${header}`)
    return index
  }) as [number, number, number]
  const servers = lines.map((line) => line.split(' '))
  return new Set(
    servers
      .filter((cells) => cells[name]?.startsWith('local-') && (Number(cells[admin]) & isUnresolved) === 0)
      .map((cells) => cells[address] ?? ''),
  )
}
