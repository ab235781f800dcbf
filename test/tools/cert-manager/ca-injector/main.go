// cert-manager's own CA injector, for webhook configurations alone. The released program's main package is not part of
// the module; this one leaves out all flags but --feature-gates, metrics and leader election.
package main

import (
	"context"
	"flag"
	"log"

	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	"github.com/cert-manager/cert-manager/pkg/util"
	"github.com/cert-manager/cert-manager/pkg/util/feature"
	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	ctrl.SetLogger(klog.Background())
	gates := flag.String("feature-gates", "", "such as CAInjectorMerging=false, the default before cert-manager 1.19")
	flag.Parse()
	if err := feature.DefaultMutableFeatureGate.Set(*gates); err != nil {
		log.Fatalln("cert-manager-ca-injector:", err)
	}
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		log.Fatalln("cert-manager-ca-injector:", err)
	}
}

func run(ctx context.Context) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientscheme.AddToScheme, certmanager.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	// the field manager of every patch is made of the user agent: without one, all are refused
	manager, err := ctrl.NewManager(util.RestConfigWithUserAgent(config, "cainjector"), ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		Client:  client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		return err
	}
	err = cainjector.RegisterAllInjectors(ctx, manager, cainjector.SetupOptions{
		EnableCertificatesDataSource: true,
		EnabledReconcilersFor: map[string]bool{
			cainjector.MutatingWebhookConfigurationName:   true,
			cainjector.ValidatingWebhookConfigurationName: true,
		},
	})
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}
