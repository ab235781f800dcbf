// From objects to what HAProxy shall have: which Ingresses count, the routes, and one backend for each Service
// port that is routed to. Pure but for the log.
package main

import (
	"fmt"
	"log"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

const controllerName = "haproxy.org/ingress-controller"

type backend struct {
	name      string
	service   *corev1.Service
	portName  string
	slotStep  int
	lines     []string   // above the snippet block
	fragments []fragment // the block
}

type route struct {
	host, path string
	pathType   networkingv1.PathType
	backend    string
}

type model struct {
	backends       map[string]*backend
	routes         []route
	defaultBackend string
}

type modelBuilder struct {
	options  options
	objects  objects
	disabled disabledSnippets
	model    model
}

func buildModel(o options, objects objects, disabled disabledSnippets) model {
	m := &modelBuilder{options: o, objects: objects, disabled: disabled, model: model{backends: map[string]*backend{}}}
	ingresses := slices.Clone(objects.ingresses)
	slices.SortFunc(ingresses, func(a, b *networkingv1.Ingress) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	for _, ingress := range ingresses {
		if m.isOurs(ingress) {
			m.addIngress(ingress)
		}
	}
	return m.model
}

// isOurs: a named class has to be the flag's and its IngressClass the controller's; without a class the default
// IngressClass decides, or the flag for Ingresses without one.
func (m *modelBuilder) isOurs(ingress *networkingv1.Ingress) bool {
	flag, class := m.options.ingressClass, valueOf(ingress.Spec.IngressClassName)
	if class != "" && class != flag {
		return false
	}
	if class == "" && flag != "" && m.options.emptyIngressClass {
		return true
	}
	controller := ""
	for _, candidate := range m.objects.classes {
		isDefault := candidate.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true"
		if candidate.Name == class || (class == "" && isDefault) {
			controller = candidate.Spec.Controller
		}
	}
	if class == "" && flag == "" && controller == "" {
		return true
	}
	return controller == strings.TrimSuffix(controllerName+"/"+flag, "/")
}

func (m *modelBuilder) addIngress(ingress *networkingv1.Ingress) {
	failed := func(err error) { log.Printf("Ingress %s/%s: %v", ingress.Namespace, ingress.Name, err) }
	if target := ingress.Spec.DefaultBackend; target != nil && target.Service != nil {
		if name, err := m.addBackend(ingress, target.Service); err != nil {
			failed(err)
		} else {
			m.model.defaultBackend = name
		}
	}
	for _, rule := range ingress.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for _, path := range rule.HTTP.Paths {
			if path.Backend.Service == nil {
				continue
			}
			name, err := m.addBackend(ingress, path.Backend.Service)
			if err != nil {
				failed(err)
				continue
			}
			pathType := networkingv1.PathTypeImplementationSpecific
			if path.PathType != nil {
				pathType = *path.PathType
			}
			m.model.routes = append(m.model.routes, route{rule.Host, path.Path, pathType, name})
		}
	}
}

// addBackend returns the name of the backend for what the Ingress names. Where several Ingresses share a backend
// each adds its snippet; the rest comes from the first.
func (m *modelBuilder) addBackend(ingress *networkingv1.Ingress, target *networkingv1.IngressServiceBackend) (string, error) {
	service := m.objects.service(ingress.Namespace, target.Name)
	if service == nil {
		return "", fmt.Errorf("there is no Service %s", target.Name)
	}
	at := slices.IndexFunc(service.Spec.Ports, func(port corev1.ServicePort) bool {
		return port.Port == target.Port.Number || (port.Name != "" && port.Name == target.Port.Name)
	})
	if at < 0 {
		return "", fmt.Errorf("the Service %s has no port %s%d", target.Name, target.Port.Name, target.Port.Number)
	}
	port := service.Spec.Ports[at]
	annotations := annotationSet{service.Annotations, ingress.Annotations}
	name := backendName(service, port)
	if annotations.get("standalone-backend", "") == "true" {
		name = ingress.Namespace + "_" + ingress.Name + "_svc_" + service.Name + "_" + portLabel(port)
	}

	b, known := m.model.backends[name]
	if !known {
		b = &backend{name: name, service: service, portName: port.Name, slotStep: annotations.slotStep()}
		var faults []error
		b.lines, faults = annotations.backendLines(m.options.replicas)
		for _, fault := range faults {
			log.Printf("backend %s: %v", name, fault)
		}
		m.addSnippet(b, "service", service.Namespace, service.Name, service.Annotations)
		b.fragments = append(b.fragments, m.customAnnotations(b, ingress)...)
		m.model.backends[name] = b
	}
	m.addSnippet(b, "ingress", ingress.Namespace, ingress.Name, ingress.Annotations)
	return name, nil
}

func (m *modelBuilder) addSnippet(b *backend, kind, namespace, name string, annotations map[string]string) {
	if m.options.snippetsDisabled {
		return
	}
	text := annotationSet{annotations}.get("backend-config-snippet", "")
	snippet, found := snippetFragment(snippetMarker(kind, b.name, namespace, name), text)
	isThere := slices.ContainsFunc(b.fragments, func(f fragment) bool { return f.origin == snippet.origin })
	if found && !isThere && !m.disabled.has(snippet) {
		b.fragments = append(b.fragments, snippet)
	}
}

func backendName(service *corev1.Service, port corev1.ServicePort) string {
	return service.Namespace + "_svc_" + service.Name + "_" + portLabel(port)
}

func portLabel(port corev1.ServicePort) string {
	if port.Name != "" {
		return port.Name
	}
	return strconv.Itoa(int(port.Port))
}
