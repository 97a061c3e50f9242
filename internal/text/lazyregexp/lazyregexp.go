// Package lazyregexp compiles regular expressions when they are first used, so that programs start faster.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression in its first call. It panics if that is not valid.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
