//go:build !cgo

package pjrt

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
