module github.com/calliope-mlir/calliope/gomlx

go 1.26.0

require (
	github.com/calliope-mlir/calliope v0.0.0
	github.com/gomlx/compute v0.1.3
	github.com/google/go-cmp v0.7.0
	github.com/pkg/errors v0.9.1
)

require (
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/gomlx/gopjrt v0.10.0 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	golang.org/x/exp v0.0.0-20260410095643-746e56fc9e2f // indirect
	google.golang.org/protobuf v1.36.10 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
)

replace github.com/calliope-mlir/calliope => ../
