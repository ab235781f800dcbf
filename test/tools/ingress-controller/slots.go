// The slots of a backend: how ready endpoints fill them and when there are too few. Pure.
package main

import (
	"slices"

	discoveryv1 "k8s.io/api/discovery/v1"
)

type endpoint struct {
	address string // empty: a free slot
	port    int32
	zone    string
}

func (e endpoint) same(other endpoint) bool {
	return e.address == other.address && e.port == other.port
}

// readyEndpoints are the ready ones of one named port of a Service, in the order of the slices' names and in their
// own.
func readyEndpoints(all []*discoveryv1.EndpointSlice, namespace, service, portName string) []endpoint {
	var ofService []*discoveryv1.EndpointSlice
	for _, slice := range all {
		if slice.Namespace == namespace && slice.Labels[discoveryv1.LabelServiceName] == service {
			ofService = append(ofService, slice)
		}
	}
	slices.SortFunc(ofService, func(a, b *discoveryv1.EndpointSlice) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	var ready []endpoint
	for _, slice := range ofService {
		for _, port := range slice.Ports {
			if port.Port == nil || valueOf(port.Name) != portName {
				continue
			}
			for _, item := range slice.Endpoints {
				if !valueOf(item.Conditions.Ready) {
					continue
				}
				for _, address := range item.Addresses {
					found := endpoint{address: address, port: *port.Port, zone: valueOf(item.Zone)}
					if !slices.ContainsFunc(ready, found.same) {
						ready = append(ready, found)
					}
				}
			}
		}
	}
	return ready
}

func valueOf[T any](pointer *T) T {
	var zero T
	if pointer == nil {
		return zero
	}
	return *pointer
}

// place empties the slots whose endpoint is gone and fills free ones, lowest number first. touched are the numbers
// of all slots that HAProxy is told about: every one that was or became free, in their order, as the real
// controller does it. What finds no slot is waiting.
func place(current, ready []endpoint) (filled []endpoint, touched []int, waiting []endpoint) {
	filled = slices.Clone(current)
	for i, slot := range filled {
		if slot.address == "" || !slices.ContainsFunc(ready, slot.same) {
			filled[i] = endpoint{}
			touched = append(touched, i)
		}
	}
	free := touched
	for _, candidate := range ready {
		if slices.ContainsFunc(current, candidate.same) {
			continue
		}
		if len(free) == 0 {
			waiting = append(waiting, candidate)
			continue
		}
		filled[free[0]] = candidate
		free = free[1:]
	}
	return filled, touched, waiting
}

// grow appends the waiting endpoints and free slots up to a multiple of step. Growth that would leave less than a
// step of free slots takes one step more; the first step is exempt.
func grow(current, waiting []endpoint, step int) []endpoint {
	grown := append(slices.Clone(current), waiting...)
	count := max(1, (len(grown)+step-1)/step) * step
	used := 0
	for _, slot := range grown {
		if slot.address != "" {
			used++
		}
	}
	if len(waiting) > 0 && count > step && count-used < step {
		count += step
	}
	return append(grown, make([]endpoint, count-len(grown))...)
}
