//go:build !cgo

package embed

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
