// Command shared is the library libcalliope: the functions of c/include/calliope.h, and nothing
// else.
//
//	go build -buildmode=c-shared -o libcalliope.so ./c/shared
package main

/*
#cgo linux LDFLAGS: ${SRCDIR}/exports.so
*/
import "C"

import _ "github.com/calliope-mlir/calliope/c/embed"

// A library has no main function.
func main() {}
