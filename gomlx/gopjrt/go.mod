module github.com/gomlx/gopjrt

go 1.26

require github.com/gomlx/go-xla v0.4.2

require (
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/gomlx/compute v0.1.3 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/exp v0.0.0-20260410095643-746e56fc9e2f // indirect
	google.golang.org/protobuf v1.36.11 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
)
