package raw

import (
	"io"
	"reflect"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw/access"
	"github.com/calliope-mlir/calliope/mlir"
)

// Functions that take the name of a method panic if the object is nil, belongs to another
// context, or its context is closed. The message names the method.
var (
	// LibraryTable returns the function table of a library.
	LibraryTable = access.LibraryTable.(func(*mlir.Library) *capi.Table)
	// Table returns the function table to use for objects of a context.
	Table = access.Table.(func(*mlir.Context) *capi.Table)
	// Use is Table for the method of a package that does not check its context otherwise.
	Use = access.Use.(func(c *mlir.Context, method string) *capi.Table)
	// Need returns an *mlir.UnsupportedError that names the first of these C functions that
	// the library lacks, or nil.
	Need = access.Need.(func(l *mlir.Library, functions ...string) error)
	// Failure returns an *mlir.DiagnosticError with the diagnostics that the library reported
	// since the last call. The operation names what failed.
	Failure = access.Failure.(func(c *mlir.Context, operation string) *mlir.DiagnosticError)

	// RegisterTranslations registers the translations of all dialects to LLVM IR with the
	// context, if the library does not do so when it registers the dialects.
	RegisterTranslations = access.RegisterTranslations.(func(*mlir.Context))

	// Unlowered returns the type that a function of a module had before passes lowered it to the LLVM dialect, or nil
	// if that is not known.
	Unlowered = access.Unlowered.(func(m *mlir.Module, function string) mlir.Type)

	// WithoutSmallResources returns a module, or a copy of it if it has resources that the library cannot translate,
	// and a function that frees the copy.
	WithoutSmallResources = access.WithoutSmallResources.(func(*mlir.Module) (*mlir.Module, func(), error))

	// Context, Module, Type and Attribute return C handles.
	Context   = access.Context.(func(*mlir.Context) capi.MlirContext)
	Module    = access.Module.(func(*mlir.Module) capi.MlirModule)
	Type      = access.Type.(func(mlir.Type) capi.MlirType)
	Attribute = access.Attribute.(func(mlir.Attribute) capi.MlirAttribute)

	// TypeIn and AttributeIn return C handles, and panic if the object does not belong to context c.
	TypeIn      = access.TypeIn.(func(t mlir.Type, c *mlir.Context, method string) capi.MlirType)
	AttributeIn = access.AttributeIn.(func(a mlir.Attribute, c *mlir.Context, method string) capi.MlirAttribute)

	// WrapType and WrapAttribute return the objects of C handles of context c.
	WrapType      = access.WrapType.(func(c *mlir.Context, handle capi.MlirType) mlir.Type)
	WrapAttribute = access.WrapAttribute.(func(c *mlir.Context, handle capi.MlirAttribute) mlir.Attribute)

	// OperationIn, BlockIn and ValueIn are those of parts of the IR.
	OperationIn = access.OperationIn.(func(o mlir.Operation, c *mlir.Context, method string) capi.MlirOperation)
	BlockIn     = access.BlockIn.(func(b mlir.Block, c *mlir.Context, method string) capi.MlirBlock)
	ValueIn     = access.ValueIn.(func(v mlir.Value, c *mlir.Context, method string) capi.MlirValue)

	// WrapOperation, WrapBlock and WrapValue return handles to what belongs to context c.
	WrapOperation = access.WrapOperation.(func(c *mlir.Context, handle capi.MlirOperation) mlir.Operation)
	WrapBlock     = access.WrapBlock.(func(c *mlir.Context, handle capi.MlirBlock) mlir.Block)
	WrapValue     = access.WrapValue.(func(c *mlir.Context, handle capi.MlirValue) mlir.Value)

	// Keep closes x when the context is closed, unless Drop was called before. Drop reports whether x was kept and the
	// context can be used, so that what x has in the library is to be freed.
	Keep = access.Keep.(func(c *mlir.Context, x io.Closer))
	Drop = access.Drop.(func(c *mlir.Context, x io.Closer) bool)

	// LocationIn is AttributeIn for a location, and returns the unknown one for nil. WrapLocation is its reverse.
	LocationIn   = access.LocationIn.(func(l mlir.Location, c *mlir.Context, method string) capi.MlirLocation)
	WrapLocation = access.WrapLocation.(func(c *mlir.Context, handle capi.MlirLocation) mlir.Location)

	// After has f called after the library may have reported something. Nil ends that.
	After = access.After.(func(c *mlir.Context, f func()))
	// Idle panics while the library runs passes or patterns. Called reports whether it has called Go code that runs.
	Idle   = access.Idle.(func(c *mlir.Context, method string))
	Called = access.Called.(func(*mlir.Context) bool)

	beside = access.Beside.(func(*mlir.Context) map[any]any)

	// UnwrapType, UnwrapAttribute and UnwrapOperation return an object's context and C handle.
	UnwrapType      = access.UnwrapType.(func(t mlir.Type, method string) (*mlir.Context, capi.MlirType))
	UnwrapAttribute = access.UnwrapAttribute.(func(a mlir.Attribute, method string) (*mlir.Context, capi.MlirAttribute))
	UnwrapOperation = access.UnwrapOperation.(func(o mlir.Operation, method string) (*mlir.Context, capi.MlirOperation))

	// Build is Builder.Create without a copy of the parts.
	Build = access.Build.(func(b *mlir.Builder, s *mlir.OperationState) mlir.Operation)
	// Parts returns a place of the Builder for what package ods makes an operation from.
	Parts = access.Parts.(func(b *mlir.Builder) *any)
)

// Beside returns the T of a context, which is zero at first: what a package keeps for each context.
func Beside[T any](c *mlir.Context) *T {
	all, key := beside(c), reflect.TypeFor[T]()
	if all[key] == nil {
		all[key] = new(T)
	}
	return all[key].(*T)
}
