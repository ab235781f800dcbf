// A stand-in of the haproxytech ingress controller for the tests of zonefirst. It writes backends in the real
// one's shape, evaluates ValidationRules with the same engines (CEL, text/template) and fills its prepared slots
// over HAProxy's runtime API in the same way. It is no ingress controller to use: see options.go for what it takes.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ingress-controller:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	pod := podVariables{Name: os.Getenv("POD_NAME"), Namespace: os.Getenv("POD_NAMESPACE"), IP: os.Getenv("POD_IP")}
	if len(args) > 0 && args[0] == "render" {
		options, err := parseOptions(args[1:], os.Getenv("ZONE"), pod)
		if err != nil {
			return err
		}
		return render(os.Stdout, options)
	}

	log.SetFlags(log.Ltime | log.Lmicroseconds)
	log.Println("This is zonefirst's STAND-IN of the haproxytech ingress controller, for tests only")
	options, err := parseOptions(args, os.Getenv("ZONE"), pod)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	changes := newChanges()
	watch, err := startWatch(ctx, options, changes)
	if err != nil {
		return err
	}
	return newController(options, watch, changes).run(ctx)
}
