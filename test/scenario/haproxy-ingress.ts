// jcmoraisjr's haproxy-ingress as the ingress controller of end-to-end tests, one a Node. There is no stand-in for it: its
// program is named by ZONEFIRST_HAPROXY_INGRESS, with the folder rootfs of its repository beside it.
import { execFileSync } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import type { KubeObject } from '../../lib/kube.ts'
import { proxyNamespace, proxyObjects, resolversSection, statsPort, type ZoneOptions } from './proxies.ts'

export interface HAProxyIngressOptions extends ZoneOptions {
  program: string
  haproxy: string
  kubeconfig: string
  /** More of the command line. */
  flags?: readonly string[]
}

/** Its own page of statistics, and its own metrics. */
export const ownPorts = { stats: 1936, metrics: 9101 }

const folder = '/run/ingress'

/** What it writes, seen from the container's /run. */
export const configurationFile = 'ingress/etc/haproxy/haproxy.cfg'

/** Statistics and metrics on one port, as the other controller has them: what the tests themselves read. */
const statsSection = `
frontend stats-and-metrics
  mode http
  bind :${statsPort}
  timeout client 5s
  http-request use-service prometheus-exporter if { path /metrics }
  stats enable
  stats uri /
`

export function haproxyIngressProxies({
  program,
  haproxy,
  kubeconfig,
  flags: moreFlags = [],
  ...zoneOptions
}: HAProxyIngressOptions): KubeObject[] {
  const flags = [
    '--kubeconfig=/run/kube/config',
    `--local-filesystem-prefix=${folder}`,
    `--configmap=${proxyNamespace}/haproxy-ingress`,
    '--ingress-class=haproxy',
    '--update-status=false',
    // changes are gathered for a tenth of a second instead of two
    '--rate-limit-update=10',
    '-v=2',
    ...moreFlags,
  ]
  const lua = `${folder}/etc/haproxy/lua`
  const script = [
    `mkdir -p ${folder}/etc/haproxy /run/bin`,
    `cd ${dirname(resolve(program))}`,
    `cp -R rootfs/etc/lua ${folder}/etc/haproxy/`,
    // a library of its image, for external authentication alone, which nothing here uses
    `{ [ -e ${lua}/json.lua ] || echo 'return {}' >${lua}/json.lua; }`,
    `printf '#!/bin/sh\\nexec ${haproxy} "$@"\\n' >/run/bin/haproxy`,
    'chmod +x /run/bin/haproxy',
    'export PATH=/run/bin:$PATH',
    `exec ${resolve(program)} ${flags.join(' ')}`,
  ]
  return proxyObjects({
    ...zoneOptions,
    kubeconfig,
    controller: 'haproxy-ingress.github.io/controller',
    configMap: {
      'config-sections': resolversSection() + statsSection,
      'ssl-redirect': 'false',
      'prometheus-port': String(ownPorts.metrics),
    },
    script,
    healthzPort: 10253,
  })
}

export function versionOf(program: string): string {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' })
  return /Release:"([^"]*)"/.exec(text)?.[1] || 'unknown version'
}
