//go:build !engines

package deviations

import "github.com/calliope-mlir/calliope/native"

func plugins() []native.Part { return []native.Part{native.PJRTPlugin} }
