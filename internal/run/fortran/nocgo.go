//go:build !cgo

package fortran

import _ "github.com/calliope-mlir/calliope/internal/host/cgo"
