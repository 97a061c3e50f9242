//go:build engines

package deviations

import (
	"slices"

	"github.com/calliope-mlir/calliope/native"
)

func init() {
	plugins = slices.DeleteFunc(native.Plugins(), func(p native.Part) bool { return !p.Fetchable() })
}
