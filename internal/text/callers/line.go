package callers

import (
	"fmt"
	"runtime"
	"strings"
)

// module begins the names of this module's functions.
const module = "github.com/calliope-mlir/calliope"

// Line returns the file and line of the innermost caller outside of this module's packages, or their outermost one if
// it is a goroutine of theirs. Programs and tests are outside.
func Line() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	f, more := frames.Next()
	for more {
		var outer runtime.Frame
		outer, more = frames.Next()
		if strings.HasPrefix(outer.Function, "runtime.") {
			break
		}
		f = outer
		if !strings.HasPrefix(f.Function, module) || strings.HasSuffix(f.File, "_test.go") {
			break
		}
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}
