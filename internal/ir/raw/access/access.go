// Package access connects package mlir with package raw. It cannot import mlir, so the type
// of its variables is any. Package mlir sets them during its initialization to functions,
// and raw asserts their types during its own.
package access

// Package mlir sets these variables. Package raw has a typed variable of each name.
var (
	LibraryTable, Table, Use, Need, Failure, RegisterTranslations any
	Context, Module, Type, Attribute                              any
	Unlowered, WithoutSmallResources                              any
	TypeIn, AttributeIn                                           any
	WrapType, WrapAttribute                                       any
	OperationIn, BlockIn, ValueIn                                 any
	WrapOperation, WrapBlock, WrapValue                           any
	LocationIn, WrapLocation                                      any
	Keep, Drop, After, Idle, Called, Beside                       any
	Run, Hold, Acyclic, Guarded, Translatable                     any
	MayExtend, Ask, Rewrite                                       any
	UnwrapType, UnwrapAttribute, UnwrapOperation                  any
	Build, Parts                                                  any
)
