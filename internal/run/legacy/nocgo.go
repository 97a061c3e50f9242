//go:build !cgo

package legacy

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
