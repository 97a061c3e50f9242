package sharding

import (
	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/ir/guard"
)

// Encoded reports whether a module is bytecode in which Shardy's dialect encodes attributes in a form of its own, which
// no library known here reads. Newer versions of JAX write it.
func Encoded(module []byte) bool { return guard.EncodesShardy(module) }

// Stripped returns a module of which Encoded is true without what Shardy encodes in it: its attributes become empty
// texts, and its operations lose their properties. Those with one region get another one, which is empty. A context
// that allows unregistered dialects parses the result, if its library does not have Shardy. That is good for looking
// at operations. It is not the module that was written, so do not run or write it.
func Stripped(module []byte) []byte { return bytecode.Without(module, guard.Shardy) }
