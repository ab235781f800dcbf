// Custom annotations (backend.<prefix>/<rule>) that reach a backend, as fragments of its snippet block.
package main

import (
	"cmp"
	"log"
	"slices"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
)

// customAnnotations gives one fragment for each rule that an annotation names, highest order_priority first. The
// Service's annotation goes before the Ingress's of the same name. A refused value or a failing template leaves
// the error as a comment and nothing else.
func (m *modelBuilder) customAnnotations(b *backend, ingress *networkingv1.Ingress) []fragment {
	rules := m.objects.rules
	if rules == nil {
		return nil
	}
	values := map[string]string{}
	collect := func(annotations map[string]string) {
		for key, value := range annotations {
			if name, found := strings.CutPrefix(key, "backend."+rules.prefix); found && value != "" {
				if _, known := values[name]; !known {
					values[name] = value
				}
			}
		}
	}
	collect(b.service.Annotations)
	variables := map[string]string{
		"BACKEND": b.name, "FRONTEND": "", "SERVICE": b.service.Name,
		"POD_NAME": m.options.pod.Name, "POD_NAMESPACE": m.options.pod.Namespace, "POD_IP": m.options.pod.IP,
	}
	if ingress != nil {
		if m.options.customAnnotationsOnIngress {
			collect(ingress.Annotations)
		}
		variables["NAMESPACE"], variables["INGRESS"] = ingress.Namespace, ingress.Name
	}

	var names []string
	for name := range values {
		if rule, known := rules.rules[name]; known && rule.appliesTo(b, ingress) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rules.rules[b].OrderPriority, rules.rules[a].OrderPriority), cmp.Compare(a, b))
	})
	var fragments []fragment
	for _, name := range names {
		lines := []string{"### " + rules.prefix + name + " ###"}
		text, err := rules.rules[name].evaluate(name, values[name], variables)
		if err != nil {
			log.Printf("backend %s: annotation backend.%s%s: %v", b.name, rules.prefix, name, err)
			text = "# ERROR: " + strings.ReplaceAll(err.Error(), "\n", "\n  # ")
		}
		fragments = append(fragments, fragment{origin: rules.prefix + name, lines: append(lines, text)})
	}
	return fragments
}

func (r rule) evaluate(name, value string, variables map[string]string) (string, error) {
	if err := r.validate(value); err != nil {
		return "", err
	}
	return r.text(name, value, variables)
}

func (r rule) appliesTo(b *backend, ingress *networkingv1.Ingress) bool {
	if r.Section != "backend" && r.Section != "all" {
		return false
	}
	if len(r.Resources) > 0 && !slices.Contains(r.Resources, b.service.Name) && !slices.Contains(r.Resources, b.name) {
		return false
	}
	ingressName := ""
	if ingress != nil {
		ingressName = ingress.Name
		if len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, ingress.Namespace) {
			return false
		}
	}
	return len(r.Ingresses) == 0 || slices.Contains(r.Ingresses, ingressName)
}
