package raw

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw/access"
	"github.com/calliope-mlir/calliope/mlir"
)

// What runs of scripts need.
var (
	// Run lets f have the library work on a module, and call Go if inGo is set. f gets its operation and the outermost
	// object that has it. Handles into the module are invalid afterwards.
	Run = access.Run.(func(
		m *mlir.Module, method string, inGo bool, f func(op capi.MlirOperation, top unsafe.Pointer)) error)
	// Hold keeps a module from being closed until release is called.
	Hold = access.Hold.(func(m *mlir.Module) (release func()))
	// Acyclic returns an error if operations use one another's results in a cycle. It says after which words that is
	// forbidden, and what else than breaking it helps.
	Acyclic = access.Acyclic.(func(o mlir.Operation, doing, unless string) error)
	// Guarded returns an error if the library would crash on an operation.
	Guarded = access.Guarded.(func(mlir.Operation) error)
	// Translatable returns an error if the library lacks translations to LLVM IR that the passes of a text need.
	Translatable = access.Translatable.(func(c *mlir.Context, passes string) error)
	// MayExtend returns an error if the operation of a name is not one of LoadIRDL.
	MayExtend = access.MayExtend.(func(c *mlir.Context, method, operation string) error)
	// Ask calls f for the library with an operation, which must not change. The question is for messages.
	Ask = access.Ask.(func(c *mlir.Context, op capi.MlirOperation, question string, f func(mlir.Operation) error) error)
	// Rewrite calls f, in an Ask, with a rewriter of the library and a function that returns an error if what f changed
	// is not valid. The library runs on an operation in the outermost object top.
	Rewrite = access.Rewrite.(func(c *mlir.Context, top unsafe.Pointer, on capi.MlirOperation,
		rewriter capi.MlirRewriterBase, f func(r *mlir.Rewriter, valid func() error) error) error)
)
