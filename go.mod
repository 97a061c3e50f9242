module github.com/calliope-mlir/calliope

go 1.26.0

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/creachadair/jrpc2 v1.3.6
	github.com/go-logr/logr v1.4.4
	github.com/gomlx/gopjrt v0.10.0
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	go.yaml.in/yaml/v3 v3.0.6
	google.golang.org/protobuf v1.36.12 // the version of gomlx/go.mod: both share what is built
	k8s.io/klog/v2 v2.140.0 // the version of gomlx/go.mod: both share what is built
	modernc.org/cc/v4 v4.34.0
)

require golang.org/x/sys v0.50.0

require (
	github.com/creachadair/mds v0.32.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/x448/float16 v0.8.4 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/opt v0.2.0 // indirect
	modernc.org/sortutil v1.2.1 // indirect
	modernc.org/strutil v1.2.1 // indirect
	modernc.org/token v1.1.0 // indirect
)
