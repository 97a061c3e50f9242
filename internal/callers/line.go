package callers

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Line returns the file and line of the innermost caller outside of the package that calls it. The tests of that
// package are outside.
func Line() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	f, more := frames.Next()
	for own := path.Dir(f.File); more && path.Dir(f.File) == own && !strings.HasSuffix(f.File, "_test.go"); {
		f, more = frames.Next()
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}
