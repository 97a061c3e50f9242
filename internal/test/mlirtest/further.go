//go:build engines

package mlirtest

import "github.com/calliope-mlir/calliope/native"

func init() { furtherEngines = []native.Part{native.IREE, native.LLVM, native.Jaxlib} }
