// The objects that decide the configuration, wherever they come from. Reads them from files; watch.go has them
// from the API server.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

type objects struct {
	ingresses []*networkingv1.Ingress
	classes   []*networkingv1.IngressClass
	services  []*corev1.Service
	slices    []*discoveryv1.EndpointSlice
	rules     *ruleSet // nil without a ValidationRules object
}

func (o *objects) service(namespace, name string) *corev1.Service {
	for _, service := range o.services {
		if service.Namespace == namespace && service.Name == name {
			return service
		}
	}
	return nil
}

// readObjects reads YAML or JSON, one or many documents a file, Lists included. Kinds that mean nothing to the
// controller are passed over.
func readObjects(path string) (objects, error) {
	var all objects
	err := filepath.Walk(path, func(file string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := all.addDocuments(content); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		return nil
	})
	return all, err
}

func (o *objects) addDocuments(content []byte) error {
	decoder := yaml.NewYAMLOrJSONDecoder(bufio.NewReader(bytes.NewReader(content)), 4096)
	for {
		var object unstructured.Unstructured
		if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if len(object.Object) == 0 {
			continue
		}
		if object.IsList() {
			if err := object.EachListItem(func(item runtime.Object) error {
				return o.add(item.(*unstructured.Unstructured))
			}); err != nil {
				return err
			}
		} else if err := o.add(&object); err != nil {
			return err
		}
	}
}

func (o *objects) add(object *unstructured.Unstructured) error {
	switch object.GetKind() {
	case "Ingress":
		return appendTyped(&o.ingresses, object)
	case "IngressClass":
		return appendTyped(&o.classes, object)
	case "Service":
		return appendTyped(&o.services, object)
	case "EndpointSlice":
		return appendTyped(&o.slices, object)
	case "ValidationRules":
		rules, err := compileRules(object)
		o.rules = rules
		return err
	}
	return nil
}

func appendTyped[T any](list *[]*T, object *unstructured.Unstructured) error {
	typed := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed); err != nil {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	*list = append(*list, typed)
	return nil
}
