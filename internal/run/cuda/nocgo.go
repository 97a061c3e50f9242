//go:build !cgo

package cuda

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
