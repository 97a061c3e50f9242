//go:build !engines

package identities

import "github.com/calliope-mlir/calliope/native"

func plugins() []native.Part { return []native.Part{native.PJRTPlugin} }
