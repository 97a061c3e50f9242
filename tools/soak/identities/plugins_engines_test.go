//go:build engines

package identities

import (
	"slices"

	"github.com/calliope-mlir/calliope/native"
)

func plugins() []native.Part {
	return slices.DeleteFunc(native.Plugins(), func(p native.Part) bool { return !p.Fetchable() })
}
