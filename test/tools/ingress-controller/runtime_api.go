// HAProxy's runtime API over its admin socket.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"time"
)

type runtimeAPI struct{ socket string }

// A line of commands has to fit one of HAProxy's buffers (16384 bytes by default).
const commandLimit = 16000

var (
	// Severities 0 to 3 are errors; those above come with every successful change.
	refusal  = regexp.MustCompile(`(?m)^\[[0-3]\]: .*$`)
	workerID = regexp.MustCompile(`(?m)^Pid: (\d+)$`)
)

func (r runtimeAPI) run(command string) (string, error) {
	connection, err := net.DialTimeout("unix", r.socket, 5*time.Second)
	if err != nil {
		return "", err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintf(connection, "set severity-output number;%s\n", command); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(bufio.NewReader(connection))
	return string(answer), err
}

// setServers tells HAProxy the address and state of the touched slots of a backend: for each slot first `addr`,
// then `state`, many slots on one line.
func (r runtimeAPI) setServers(backend string, slots []endpoint, touched []int) error {
	for _, line := range serverCommands(backend, slots, touched) {
		answer, err := r.run(line)
		if err != nil {
			return err
		}
		if refused := refusal.FindString(answer); refused != "" {
			return fmt.Errorf("HAProxy refused a change of backend %s: %s", backend, refused)
		}
	}
	return nil
}

func serverCommands(backend string, slots []endpoint, touched []int) []string {
	var lines []string
	var line strings.Builder
	for _, i := range touched {
		address, port, state := "127.0.0.1", int32(1), "maint"
		if slots[i].address != "" {
			address, port, state = slots[i].address, slots[i].port, "ready"
		}
		server := fmt.Sprintf("%s/SRV_%d", backend, i+1)
		commands := fmt.Sprintf("set server %s addr %s port %d;set server %s state %s;", server, address, port, server, state)
		if line.Len()+len(commands) > commandLimit {
			lines = append(lines, line.String())
			line.Reset()
		}
		line.WriteString(commands)
	}
	if line.Len() > 0 {
		lines = append(lines, line.String())
	}
	return lines
}

// awaitWorker returns when a worker other than the one with the id before answers, and that worker's id.
func (r runtimeAPI) awaitWorker(before string, limit time.Duration) (string, error) {
	deadline := time.Now().Add(limit)
	for time.Now().Before(deadline) {
		answer, err := r.run("show info")
		if err == nil {
			if found := workerID.FindStringSubmatch(answer); found != nil && found[1] != before {
				return found[1], nil
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return before, errors.New("no new HAProxy worker answers: see HAProxy's own output above")
}
