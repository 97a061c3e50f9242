//go:build !cgo

package ffi

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
