//go:build !cgo && !windows

package xla

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
