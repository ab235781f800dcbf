// The definitions of prometheus-operator's objects, which its module carries: no program of it is built.
module zonefirst.io/test-cluster-tools/prometheus-operator

go 1.26.0

require github.com/prometheus-operator/prometheus-operator v0.85.0
