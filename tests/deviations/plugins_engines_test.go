//go:build engines

package deviations

import (
	"slices"

	"github.com/calliope-mlir/calliope/native"
)

func plugins() []native.Part {
	return slices.DeleteFunc(native.Plugins(), func(p native.Part) bool { return !p.Fetchable() })
}
