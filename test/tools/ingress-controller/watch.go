// Informers of everything that decides the configuration, and what changed since somebody last asked. Changes of
// EndpointSlices are told apart, because they reach HAProxy at once; all others wait for the next sync.
package main

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

var rulesResource = schema.GroupVersionResource{Group: "ingress.v3.haproxy.org", Version: "v3", Resource: "validationrules"}

// changes collects what changed; wake receives when there is something to take.
type changes struct {
	mutex     sync.Mutex
	endpoints map[types.NamespacedName]bool
	any       bool
	wake      chan struct{}
}

func newChanges() *changes {
	return &changes{endpoints: map[types.NamespacedName]bool{}, wake: make(chan struct{}, 1)}
}

func (c *changes) note(service *types.NamespacedName) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.any = true
	if service != nil {
		c.endpoints[*service] = true
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
}

// takeEndpoints returns the Services whose endpoints changed; the note for the next sync stays.
func (c *changes) takeEndpoints() map[types.NamespacedName]bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	taken := c.endpoints
	c.endpoints = map[types.NamespacedName]bool{}
	return taken
}

func (c *changes) takeAny() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	taken := c.any
	c.any = false
	return taken
}

type watch struct {
	factory informers.SharedInformerFactory
	mutex   sync.Mutex
	rules   *ruleSet
}

// startWatch returns when the caches are filled. A missing ValidationRules definition is no error: it is looked
// for again every two seconds.
func startWatch(ctx context.Context, o options, changes *changes) (*watch, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	config.ContentType, config.AcceptContentTypes = "", ""
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}

	w := &watch{factory: informers.NewSharedInformerFactory(client, 0)}
	other := handler(func(any) { changes.note(nil) })
	networking := w.factory.Networking().V1()
	for _, informer := range []cache.SharedIndexInformer{
		networking.Ingresses().Informer(), networking.IngressClasses().Informer(), w.factory.Core().V1().Services().Informer(),
	} {
		if _, err := informer.AddEventHandler(other); err != nil {
			return nil, err
		}
	}
	if _, err := w.factory.Discovery().V1().EndpointSlices().Informer().AddEventHandler(handler(func(object any) {
		if slice, ok := object.(*discoveryv1.EndpointSlice); ok {
			changes.note(&types.NamespacedName{Namespace: slice.Namespace, Name: slice.Labels[discoveryv1.LabelServiceName]})
		}
	})); err != nil {
		return nil, err
	}
	w.factory.Start(ctx.Done())
	if o.rulesName != "" {
		known, err := rulesKnown(ctx, dynamicClient, o)
		if err != nil {
			log.Printf("ValidationRules cannot be read yet: %v", err)
		}
		if known {
			w.watchRules(ctx, dynamicClient, o, changes)
		} else {
			go w.awaitRules(ctx, dynamicClient, o, changes)
		}
	}
	for _, synced := range w.factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return nil, errors.New("stopped before the first lists arrived from the API server")
		}
	}
	return w, nil
}

func rulesKnown(ctx context.Context, client dynamic.Interface, o options) (bool, error) {
	_, err := client.Resource(rulesResource).Namespace(o.rulesNamespace).List(ctx, metav1.ListOptions{Limit: 1})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

func (w *watch) awaitRules(ctx context.Context, client dynamic.Interface, o options, changes *changes) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(2 * time.Second):
		}
		if known, _ := rulesKnown(ctx, client, o); known {
			w.watchRules(ctx, client, o, changes)
			return
		}
	}
}

// watchRules returns when the object, if there is one, has been taken in. Like the real controller, it keeps the
// last rules when the object is deleted.
func (w *watch) watchRules(ctx context.Context, client dynamic.Interface, o options, changes *changes) {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, o.rulesNamespace, func(list *metav1.ListOptions) {
		list.FieldSelector = fields.OneTermEqualSelector("metadata.name", o.rulesName).String()
	})
	registration, err := factory.ForResource(rulesResource).Informer().AddEventHandler(handler(func(object any) {
		rules, err := compileRules(object.(*unstructured.Unstructured))
		if err != nil {
			log.Printf("ValidationRules %s/%s: %v", o.rulesNamespace, o.rulesName, err)
		}
		w.mutex.Lock()
		w.rules = rules
		w.mutex.Unlock()
		changes.note(nil)
	}))
	if err != nil {
		log.Printf("ValidationRules %s/%s cannot be watched: %v", o.rulesNamespace, o.rulesName, err)
		return
	}
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), registration.HasSynced)
}

func handler(react func(any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    react,
		UpdateFunc: func(_, object any) { react(object) },
		DeleteFunc: func(object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = gone.Obj
			}
			react(object)
		},
	}
}

func (w *watch) objects() objects {
	var all objects
	everything := labels.Everything()
	// Listing from a cache cannot fail.
	all.ingresses, _ = w.factory.Networking().V1().Ingresses().Lister().List(everything)
	all.classes, _ = w.factory.Networking().V1().IngressClasses().Lister().List(everything)
	all.services, _ = w.factory.Core().V1().Services().Lister().List(everything)
	all.slices, _ = w.factory.Discovery().V1().EndpointSlices().Lister().List(everything)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	all.rules = w.rules
	return all
}
