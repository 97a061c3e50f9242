// Package embed has the functions of c/include/calliope.h, for hosts that are not written in
// Go. It has no exported Go names: a library gets the functions by importing it. libcalliope is
// such a library, see c/shared. One with Go functions for a host's programs is
//
//	package main
//
//	import (
//		"github.com/calliope-mlir/calliope/callbacks"
//		_ "github.com/calliope-mlir/calliope/c/embed"
//	)
//
//	func init() { callbacks.Default.Register("double", double, callbacks.Options{}) }
//
//	func main() {}
//
// built by go build -buildmode=c-shared.
//
// The C functions are in api.c. Each calls the Go function that is named after it, in the file
// of its subject.
package embed

/*
#cgo !windows LDFLAGS: -lpthread
#cgo windows CFLAGS: -DCALLIOPE_BUILDS
#cgo windows LDFLAGS: -Wl,-Bstatic -lwinpthread -Wl,-Bdynamic
#include "api.h"
*/
import "C"

import _ "github.com/calliope-mlir/calliope/c/include" // api.h includes its header
