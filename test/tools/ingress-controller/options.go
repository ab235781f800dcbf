// The command line: the real controller's names where it has the setting, so that one line starts either. What
// only the real one knows is accepted and ignored.
package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

type podVariables struct{ Name, Namespace, IP string }

type options struct {
	kubeconfig, program, configDir, runtimeDir string
	ingressClass                               string
	emptyIngressClass                          bool
	rulesNamespace, rulesName                  string
	customAnnotationsOnIngress                 bool
	snippetsDisabled                           bool
	ipv4BindAddress                            string
	httpPort, statsPort, healthzPort           int
	syncPeriod                                 time.Duration

	// The stand-in's own.
	replicas         int
	localZoneBackups bool
	shutdownTimeout  time.Duration
	objects          string

	// From the environment.
	zone string
	pod  podVariables
}

func (o options) configFile() string { return filepath.Join(o.configDir, "haproxy.cfg") }
func (o options) auxFile() string    { return filepath.Join(o.configDir, "haproxy-aux.cfg") }
func (o options) mapsDir() string    { return filepath.Join(o.configDir, "maps") }
func (o options) runtimeSocket() string {
	return filepath.Join(o.runtimeDir, "haproxy-runtime-api.sock")
}
func (o options) masterSocket() string { return filepath.Join(o.runtimeDir, "haproxy-master.sock") }

var ignoredSwitches = []string{
	"external", "e", "t", "v", "version", "disable-ipv4", "disable-ipv6", "disable-http", "disable-https", "disable-quic",
	"disable-service-external-name", "with-s6-overlay", "with-pebble", "pprof", "prometheus",
	"disable-writing-only-if-reload", "disable-ingress-status-update",
}

var ignoredSettings = []string{
	"configmap", "configmap-tcp-services", "configmap-errorfiles", "configmap-patternfiles", "default-backend-service",
	"default-backend-port", "default-ssl-certificate", "ipv6-bind-address", "gateway-controller-name", "publish-service",
	"namespace-whitelist", "namespace-blacklist", "localpeer-port", "channel-size", "controller-port",
	"https-bind-port", "initial-sync-period", "cache-resync-period", "quic-announce-port", "quic-bind-port", "log",
	"http-bind-thread", "https-bind-thread", "healthz-bind-thread", "stats-bind-thread", "experimental",
}

func parseOptions(args []string, zone string, pod podVariables) (options, error) {
	o := options{zone: zone, pod: pod}
	var rules, disabledSnippets string
	flags := flag.NewFlagSet("ingress-controller", flag.ContinueOnError)
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file; in-cluster configuration without it")
	flags.StringVar(&o.program, "program", "/usr/local/sbin/haproxy", "HAProxy to run")
	flags.StringVar(&o.configDir, "config-dir", "/tmp/haproxy-ingress/etc", "folder of haproxy.cfg and haproxy-aux.cfg")
	flags.StringVar(&o.runtimeDir, "runtime-dir", "/tmp/haproxy-ingress/run", "folder of HAProxy's sockets")
	flags.StringVar(&o.ingressClass, "ingress.class", "", "takes IngressClasses of haproxy.org/ingress-controller/<this>")
	flags.BoolVar(&o.emptyIngressClass, "empty-ingress-class", false, "takes Ingresses without a class too")
	flags.StringVar(&rules, "custom-validation-rules", "", "<namespace>/<name> of the ValidationRules object")
	flags.BoolVar(&o.customAnnotationsOnIngress, "enable-custom-annotations-on-ingress", false, "custom annotations of Ingresses count too")
	flags.StringVar(&disabledSnippets, "disable-config-snippets", "", "all, backend, frontend, global: the first two matter here")
	flags.StringVar(&o.ipv4BindAddress, "ipv4-bind-address", "0.0.0.0", "address of the frontend for HTTP")
	flags.IntVar(&o.httpPort, "http-bind-port", 8080, "port for HTTP")
	flags.IntVar(&o.statsPort, "stats-bind-port", 1024, "port for statistics and /metrics")
	flags.IntVar(&o.healthzPort, "healthz-bind-port", 1042, "port of /healthz")
	flags.DurationVar(&o.syncPeriod, "sync-period", 5*time.Second, "how often a changed configuration is taken over")
	flags.IntVar(&o.replicas, "controller-replicas", 1, "stand-in: pod-maxconn is divided by this (the real one counts its pods)")
	flags.BoolVar(&o.localZoneBackups, "local-zone-backups", false, "stand-in, a demonstration: `backup` on the single server lines of other zones")
	flags.DurationVar(&o.shutdownTimeout, "shutdown-timeout", 5*time.Second, "stand-in: how long HAProxy may finish its connections at the end")
	flags.StringVar(&o.objects, "objects", "", "render: file or folder of the objects")
	for _, name := range ignoredSwitches {
		flags.Bool(name, false, "ignored")
	}
	for _, name := range ignoredSettings {
		flags.String(name, "", "ignored")
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: every setting is a flag", flags.Arg(0))
	}
	if rules != "" {
		var found bool
		if o.rulesNamespace, o.rulesName, found = strings.Cut(rules, "/"); !found {
			return o, fmt.Errorf("--custom-validation-rules=%s: give it as <namespace>/<name>", rules)
		}
	}
	for _, kind := range strings.Split(disabledSnippets, ",") {
		if kind = strings.TrimSpace(kind); kind == "all" || kind == "backend" {
			o.snippetsDisabled = true
		}
	}
	if o.replicas < 1 {
		return o, fmt.Errorf("--controller-replicas=%d: give 1 or more", o.replicas)
	}
	return o, nil
}
