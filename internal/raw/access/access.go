// Package access connects package mlir with package raw. It cannot import mlir, so its
// variables are functions of types that it does not name. Mlir sets each of them when it is
// initialized, and raw asserts their types when it is.
package access

// These are set by package mlir. Package raw has a function of each name, with its type.
var (
	LibraryTable, Table, Need, Failure, RegisterTranslations any
	Context, Module, Type, Attribute                         any
	TypeIn, AttributeIn                                      any
	WrapType, WrapAttribute                                  any
	UnwrapType, UnwrapAttribute, UnwrapOperation             any
)
