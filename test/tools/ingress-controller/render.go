// The mode without a cluster: prints the backends that the objects in files lead to.
package main

import (
	"fmt"
	"io"
	"strings"
)

func render(out io.Writer, o options) error {
	if o.objects == "" {
		return fmt.Errorf("render needs --objects=<file or folder>")
	}
	objects, err := readObjects(o.objects)
	if err != nil {
		return err
	}
	m := buildModel(o, objects, disabledSnippets{})
	filled := map[string][]endpoint{}
	for name, b := range m.backends {
		ready := readyEndpoints(objects.slices, b.service.Namespace, b.service.Name, b.portName)
		filled[name] = grow(nil, ready, b.slotStep)
	}
	_, err = io.WriteString(out, strings.Join(backendTexts(o, m, filled), "\n"))
	return err
}
