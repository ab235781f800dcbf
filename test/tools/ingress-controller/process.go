// HAProxy's process: checks a configuration, starts the master with its worker, reloads and stops it. HAProxy
// inherits the environment, so ${ZONE} and the like are the controller's own.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

type process struct {
	options options
	master  *os.Process
	exited  chan error // receives once, when the master has ended
}

// check returns HAProxy's output with the error.
func (p *process) check(file string) (string, error) {
	var output bytes.Buffer
	command := exec.Command(p.options.program, "-c", "-f", file, "-f", p.options.auxFile())
	command.Stdout, command.Stderr = &output, &output
	err := command.Run()
	return output.String(), err
}

func (p *process) running() bool { return p.master != nil }

// start returns when the master has started, which is before a worker answers.
func (p *process) start() error {
	command := exec.Command(p.options.program, "-W", "-S", p.options.masterSocket()+",level,admin",
		"-f", p.options.configFile(), "-f", p.options.auxFile())
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	// HAProxy ends with this process, however that ends. The signal follows the thread that started it, so that
	// thread waits with it.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	started := make(chan error)
	p.exited = make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			p.exited <- command.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("HAProxy does not start: %w (is --program right?)", err)
	}
	p.master = command.Process
	return nil
}

func (p *process) reload() error { return p.master.Signal(syscall.SIGUSR2) }

// stop lets connections finish for as long as limit.
func (p *process) stop(limit time.Duration) error {
	if !p.running() {
		return nil
	}
	_ = p.master.Signal(syscall.SIGUSR1)
	select {
	case <-p.exited:
		return nil
	case <-time.After(limit):
	}
	_ = p.master.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(2 * time.Second):
		_ = p.master.Kill()
		return errors.New("HAProxy did not end on SIGTERM and was killed")
	}
	return nil
}
