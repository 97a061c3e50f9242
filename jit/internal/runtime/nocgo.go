//go:build !cgo

package runtime

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
