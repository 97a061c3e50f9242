//go:build engines

package mlirtest

import "github.com/calliope-mlir/calliope/native"

var furtherEngines = []native.Part{native.IREE, native.LLVM, native.Jaxlib}
