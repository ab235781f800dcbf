// The haproxy.org annotations that the stand-in knows, as lines of a backend. Of two objects that set one, the
// first counts (Service before Ingress).
package main

import (
	"fmt"
	"strconv"
	"strings"
)

// The value is a fixed part of the real controller's output.
const dynamicCookieKey = "ohph7OoGhong"

type annotationSet []map[string]string

func (s annotationSet) get(name, missing string) string {
	for _, annotations := range s {
		for _, prefix := range []string{"haproxy.org/", "ingress.kubernetes.io/", "haproxy.com/"} {
			if value, found := annotations[prefix+name]; found {
				return value
			}
		}
	}
	return missing
}

// backendLines gives what stands above the snippet block, after the backend's own line. A value that makes no
// sense is left out and reported.
func (s annotationSet) backendLines(replicas int) (lines []string, faults []error) {
	fault := func(name, value string) {
		faults = append(faults, fmt.Errorf("annotation %s: %q makes no sense", name, value))
	}
	enabled := func(name, missing string) bool {
		value := s.get(name, missing)
		on, err := parseSwitch(value)
		if err != nil {
			fault(name, value)
		}
		return on
	}

	lines = append(lines, "mode http", "balance "+s.get("load-balance", "roundrobin"))
	if enabled("forwarded-for", "true") {
		lines = append(lines, "option forwardfor")
	}
	if enabled("abortonclose", "false") {
		lines = append(lines, "option abortonclose")
	} else {
		lines = append(lines, "no option abortonclose")
	}

	var server []string
	if enabled("check", "true") {
		server = append(server, "check")
	}
	switch value := strings.ToLower(s.get("send-proxy-protocol", "")); value {
	case "":
	case "proxy", "proxy-v1":
		server = append(server, "send-proxy")
	case "proxy-v2", "proxy-v2-ssl", "proxy-v2-ssl-cn":
		server = append(server, "send-"+value)
	default:
		fault("send-proxy-protocol", value)
	}
	ssl := enabled("server-ssl", "false")
	if ssl {
		server = append(server, "ssl alpn h2,http/1.1")
	}
	if value := s.get("check-interval", ""); value != "" {
		if milliseconds, err := parseMilliseconds(value); err != nil {
			fault("check-interval", value)
		} else {
			server = append(server, "inter "+strconv.Itoa(milliseconds))
		}
	}
	if value := s.get("pod-maxconn", ""); value != "" {
		if connections, err := strconv.Atoi(value); err != nil {
			fault("pod-maxconn", value)
		} else {
			server = append(server, "maxconn "+strconv.Itoa(connections/replicas))
		}
	}
	if ssl {
		server = append(server, "verify none")
	}
	if len(server) > 0 {
		lines = append(lines, "default-server "+strings.Join(server, " "))
	}
	if cookie := strings.Fields(s.get("cookie-persistence", "")); len(cookie) > 0 {
		lines = append(lines, "cookie "+cookie[0]+" dynamic indirect nocache insert", "dynamic-cookie-key "+dynamicCookieKey)
	}
	return lines, faults
}

func (s annotationSet) slotStep() int {
	if step, err := strconv.Atoi(s.get("scale-server-slots", "")); err == nil && step > 0 {
		return step
	}
	return 42
}

func parseSwitch(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "enabled", "on":
		return true, nil
	case "disabled", "off":
		return false, nil
	}
	return strconv.ParseBool(value)
}

func parseMilliseconds(value string) (int, error) {
	for _, unit := range []struct {
		suffix string
		factor int
	}{{"ms", 1}, {"s", 1000}, {"m", 60_000}, {"h", 3_600_000}, {"d", 86_400_000}, {"", 1}} {
		if number, found := strings.CutSuffix(value, unit.suffix); found {
			count, err := strconv.Atoi(number)
			return count * unit.factor, err
		}
	}
	return 0, nil
}
