module github.com/gomlx/gopjrt

go 1.26.0

require github.com/gomlx/go-xla v0.4.2

require (
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/gomlx/compute v0.1.3 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/exp v0.0.0-20261113113407-e3970619a1a4 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
)
