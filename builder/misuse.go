package builder

import (
	"reflect"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/callers"
)

// misuse returns the text of a panic for a mistake that no builder can record, because nothing names one. It begins
// with the function of this package that was called, such as Sin.
func misuse(mistake string) string {
	var called string
	for f := range callers.Frames() {
		name, ours := strings.CutPrefix(f.Function, reflect.TypeFor[Value]().PkgPath()+".")
		if !ours {
			break
		}
		called, _, _ = strings.Cut(name, "[") // of its type parameters
	}
	return "builder: " + called + ": " + mistake
}
