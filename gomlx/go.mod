module github.com/calliope-mlir/calliope/gomlx

go 1.26.5

require (
	github.com/calliope-mlir/calliope v0.1.0
	github.com/gomlx/compute v0.1.3
	github.com/gomlx/go-xla v0.4.2
	github.com/gomlx/gomlx v0.28.2
	github.com/google/go-cmp v0.7.0
	github.com/pkg/errors v0.9.1
)

require (
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/gofrs/flock v0.13.2 // indirect
	github.com/gomlx/compute-onnx v0.0.0-20260730095030-43334863f719 // indirect
	github.com/gomlx/gopjrt v0.10.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	golang.org/x/exp v0.0.0-20261113113407-e3970619a1a4 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/term v0.48.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
)

// For this checkout alone: who gets the module gets the version above.
replace github.com/calliope-mlir/calliope => ../
