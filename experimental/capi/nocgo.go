//go:build !cgo

package capi

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
