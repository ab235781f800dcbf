// The text of haproxy.cfg and of its map files, in the shape of the recorded ones. Left out of that shape: HTTPS,
// peers, the log's format, and a default backend that answers by itself instead of asking the controller.
package main

import (
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
)

const notFoundBackend = "haproxy-controller_svc_default-local-service_http"

func configText(o options, m model, filled map[string][]endpoint) string {
	fallback := m.defaultBackend
	if fallback == "" {
		fallback = notFoundBackend
	}
	mapFile := func(name string) string { return filepath.Join(o.mapsDir(), name+".map") }
	text := fmt.Sprintf(`# Written by zonefirst's stand-in of the ingress controller: changes are lost.

global
  default-path config
  master-worker
  pidfile %[1]s
  stats socket %[2]s expose-fd listeners level admin
  stats timeout 36000
  hard-stop-after 1800000
  log stdout format raw local0 notice

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

frontend healthz from haproxytech
  mode http
  bind 0.0.0.0:%[3]d name v4
  monitor-uri /healthz
  no log

frontend http from haproxytech
  mode http
  bind %[4]s name v4
  http-request set-var(txn.base) base
  http-request set-var(txn.path) path
  http-request set-var(txn.host) req.hdr(Host),field(1,:),lower
  http-request set-var(txn.host_match) var(txn.host),map(%[5]s)
  http-request set-var(txn.host_match) var(txn.host),regsub(^[^.]*,,),map(%[5]s,'') if !{ var(txn.host_match) -m found }
  http-request set-var(txn.path_match) var(txn.host_match),concat(,txn.path,),map(%[6]s)
  http-request set-var(txn.path_match) var(txn.host_match),concat(,txn.path,),map(%[7]s) if !{ var(txn.path_match) -m found }
  http-request set-var(txn.path_match) var(txn.host_match),concat(,txn.path,),map_beg(%[8]s) if !{ var(txn.path_match) -m found }
  use_backend %%[var(txn.path_match),field(1,.)]
  default_backend %[9]s

frontend stats from haproxytech
  mode http
  bind *:%[10]d name stats
  no log
  stats enable
  stats show-legends
  stats refresh 10000
  stats uri /
  http-request set-var(txn.base) base
  http-request use-service prometheus-exporter if { path /metrics }
`,
		filepath.Join(o.runtimeDir, "haproxy.pid"), o.runtimeSocket(), o.healthzPort,
		net.JoinHostPort(o.ipv4BindAddress, strconv.Itoa(o.httpPort)),
		mapFile("host"), mapFile("path-exact"), mapFile("path-prefix-exact"), mapFile("path-prefix"), fallback, o.statsPort)
	for _, b := range backendTexts(o, m, filled) {
		text += "\n" + b
	}
	if m.defaultBackend == "" {
		text += "\nbackend " + notFoundBackend + " from haproxytech\n  mode http\n  http-request return status 404\n"
	}
	return text
}

func backendTexts(o options, m model, filled map[string][]endpoint) []string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(m.backends)) {
		texts = append(texts, backendText(o, m.backends[name], filled[name]))
	}
	return texts
}

func backendText(o options, b *backend, slots []endpoint) string {
	var text strings.Builder
	fmt.Fprintf(&text, "backend %s from haproxytech\n", b.name)
	for _, line := range b.lines {
		fmt.Fprintf(&text, "  %s\n", line)
	}
	for _, line := range snippetBlock(b.fragments) {
		fmt.Fprintln(&text, line)
	}
	for i, slot := range slots {
		switch {
		case slot.address == "":
			fmt.Fprintf(&text, "  server SRV_%d 127.0.0.1:1 disabled\n", i+1)
		case o.localZoneBackups && slot.zone != o.zone:
			fmt.Fprintf(&text, "  server SRV_%d %s backup enabled\n", i+1, slot.destination())
		default:
			fmt.Fprintf(&text, "  server SRV_%d %s enabled\n", i+1, slot.destination())
		}
	}
	return text.String()
}

func (e endpoint) destination() string { return net.JoinHostPort(e.address, strconv.Itoa(int(e.port))) }

var serverLine = regexp.MustCompile(`(?m)^(  server SRV_\d+) .*$`)

// skeleton is the configuration less what the runtime API can change: two texts of one skeleton need no reload.
func skeleton(config string) string { return serverLine.ReplaceAllString(config, "$1") }

// mapTexts gives each map file's text by its name. An empty one has to exist too.
func mapTexts(routes []route) map[string]string {
	rows := map[string][]string{"host": nil, "path-exact": nil, "path-prefix-exact": nil, "path-prefix": nil}
	add := func(name, key, value string) { rows[name] = append(rows[name], key+"\t\t\t"+value+"\n") }
	for _, r := range routes {
		host := strings.TrimPrefix(r.host, "*")
		if host != "" {
			add("host", host, host)
		}
		trimmed := strings.TrimSuffix(r.path, "/")
		switch {
		case r.pathType == networkingv1.PathTypeExact:
			add("path-exact", host+r.path, r.backend)
		case trimmed == "":
			add("path-prefix", host+"/", r.backend)
		case r.pathType == networkingv1.PathTypePrefix:
			add("path-prefix-exact", host+trimmed, r.backend)
			add("path-prefix", host+trimmed+"/", r.backend)
		default:
			add("path-prefix-exact", host+trimmed, r.backend)
			add("path-prefix", host+trimmed, r.backend)
		}
	}
	texts := map[string]string{}
	for name, list := range rows {
		slices.Sort(list)
		texts[name] = strings.Join(slices.Compact(list), "")
	}
	return texts
}
