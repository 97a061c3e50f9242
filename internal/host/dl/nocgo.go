//go:build !cgo

package dl

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
