//go:build !cgo

package stack

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
