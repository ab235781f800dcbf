// The loop: changed endpoints go to HAProxy's slots at once; every sync period all other changes become a new
// configuration, which is checked, written, and loaded where the runtime API cannot do it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

type controller struct {
	options  options
	watch    *watch
	changes  *changes
	process  process
	runtime  runtimeAPI
	worker   string // process id of the worker that serves
	disabled disabledSnippets

	model     model
	slots     map[string][]endpoint // by backend, as HAProxy has them
	waiting   map[string][]endpoint // found no slot
	written   string                // haproxy.cfg
	loaded    string                // what the running worker was loaded with, less what the runtime API changes
	outdated  bool                  // the runtime API failed: only a reload sets it right
	auxiliary string                // the auxiliary file's text at the last sync
}

func newController(o options, w *watch, c *changes) *controller {
	return &controller{
		options: o, watch: w, changes: c, process: process{options: o}, runtime: runtimeAPI{o.runtimeSocket()},
		disabled: disabledSnippets{}, slots: map[string][]endpoint{}, waiting: map[string][]endpoint{},
	}
}

// run ends with the context, or with an error when HAProxy ends by itself.
func (c *controller) run(ctx context.Context) error {
	for _, folder := range []string{c.options.configDir, c.options.runtimeDir, c.options.mapsDir(), filepath.Join(c.options.configDir, "failed")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	// HAProxy's arguments are those of its start: a file that comes later would be checked and never loaded.
	auxiliary, err := os.OpenFile(c.options.auxFile(), os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	auxiliary.Close()

	ticker := time.NewTicker(c.options.syncPeriod)
	defer ticker.Stop()
	c.changes.takeEndpoints()
	c.changes.takeAny()
	c.sync()
	for {
		select {
		case <-ctx.Done():
			log.Println("stopping HAProxy")
			return c.process.stop(c.options.shutdownTimeout)
		case err := <-c.process.exited:
			return fmt.Errorf("HAProxy ended by itself: %v", err)
		case <-c.changes.wake:
			c.updateEndpoints(c.changes.takeEndpoints())
		case <-ticker.C:
			if c.changes.takeAny() || c.outdated || c.readAuxiliary() != c.auxiliary {
				c.sync()
			}
		}
	}
}

// updateEndpoints fills and empties slots at run time.
func (c *controller) updateEndpoints(services map[types.NamespacedName]bool) {
	objects := c.watch.objects()
	for name, b := range c.model.backends {
		if services[types.NamespacedName{Namespace: b.service.Namespace, Name: b.service.Name}] {
			c.placeEndpoints(name, b, objects)
		}
	}
}

func (c *controller) placeEndpoints(name string, b *backend, objects objects) {
	ready := readyEndpoints(objects.slices, b.service.Namespace, b.service.Name, b.portName)
	filled, touched, waiting := place(c.slots[name], ready)
	changed := false
	for i := range filled {
		changed = changed || filled[i] != c.slots[name][i]
	}
	c.slots[name], c.waiting[name] = filled, waiting
	if changed && c.process.running() {
		if err := c.runtime.setServers(name, filled, touched); err != nil {
			log.Printf("runtime update of %s: %v", name, err)
			c.outdated = true
		}
	}
}

// sync makes a configuration of everything that is known. One that HAProxy refuses changes nothing, except that a
// snippet which is to blame is left out and the rest tried again.
func (c *controller) sync() {
	objects := c.watch.objects()
	next := buildModel(c.options, objects, c.disabled)
	planned := map[string][]endpoint{}
	for name, b := range next.backends {
		c.placeEndpoints(name, b, objects)
		planned[name] = grow(c.slots[name], c.waiting[name], b.slotStep)
	}
	text := configText(c.options, next, planned)
	mapFiles := mapTexts(next.routes)
	c.auxiliary = c.readAuxiliary()
	shape := skeleton(text) + fmt.Sprint(mapFiles) + c.auxiliary
	if text == c.written && shape == c.loaded && !c.outdated {
		return
	}

	if err := c.writeMaps(mapFiles); err != nil {
		log.Printf("map files: %v", err)
		return
	}
	candidate := c.options.configFile() + ".new"
	if err := os.WriteFile(candidate, []byte(text), 0o644); err != nil {
		log.Printf("configuration: %v", err)
		return
	}
	if output, err := c.process.check(candidate); err != nil {
		log.Printf("HAProxy refuses the new configuration, the old one stays: %v\n%s", err, output)
		_ = os.Rename(candidate, filepath.Join(c.options.configDir, "failed", "haproxy.cfg"))
		if c.disableBlamed(output, candidate, text, next) {
			c.sync()
		}
		return
	}
	if err := os.Rename(candidate, c.options.configFile()); err != nil {
		log.Printf("configuration: %v", err)
		return
	}
	c.model, c.slots, c.written = next, planned, text
	clear(c.waiting)
	if shape != c.loaded || c.outdated {
		c.load(shape)
	}
}

func (c *controller) load(shape string) {
	var err error
	if c.process.running() {
		err = c.process.reload()
	} else {
		err = c.process.start()
	}
	if err == nil {
		c.worker, err = c.runtime.awaitWorker(c.worker, 15*time.Second)
	}
	c.outdated = err != nil
	if err != nil {
		log.Printf("loading the configuration: %v", err)
		return
	}
	c.loaded = shape
	log.Printf("HAProxy reloaded: worker %s, %d backends", c.worker, len(c.model.backends))
}

// disableBlamed leaves out the snippets that HAProxy's output blames; false where it blames none.
func (c *controller) disableBlamed(output, file, text string, refused model) bool {
	found := false
	for _, marker := range markersBlamed(output, file, text) {
		for _, b := range refused.backends {
			for _, snippet := range b.fragments {
				if snippet.origin == marker {
					log.Printf("backend %s: the snippet %s is disabled until its text changes", b.name, marker)
					c.disabled[marker] = strings.Join(snippet.lines, "\n")
					found = true
				}
			}
		}
	}
	return found
}

func (c *controller) writeMaps(texts map[string]string) error {
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(c.options.mapsDir(), name+".map"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readAuxiliary gives the administrator's own part of the configuration.
func (c *controller) readAuxiliary() string {
	text, err := os.ReadFile(c.options.auxFile())
	if err != nil {
		log.Printf("auxiliary configuration: %v", err)
	}
	return string(text)
}
