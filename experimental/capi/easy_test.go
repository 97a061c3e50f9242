package capi_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestEasy calls a third of the functions, of nearly all headers: those that take nothing, or a context.
func TestEasy(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		table := check.Must(capi.Open(e.Library.Path()))
		registry := capi.MlirDialectRegistryCreate(table)
		table.RegisterDialects(registry)
		c := capi.MlirContextCreateWithRegistry(table, registry, false)
		capi.MlirDialectRegistryDestroy(table, registry)
		defer capi.MlirContextDestroy(table, c)
		capi.MlirContextLoadAllAvailableDialects(table, c)
		called := 0
		for _, functions := range easy {
			for _, name := range slices.Sorted(maps.Keys(functions)) {
				if table.Has(name) {
					functions[name](table, c)
					called++
				}
			}
		}
		if called < 150 {
			t.Errorf("the library has %d functions", called)
		}
	})
}

// TestHandles passes handles between package mlir and this one.
func TestHandles(t *testing.T) {
	c := mlirtest.Context(t)
	table := check.Must(capi.Open(c.Library().Path()))
	context := capi.MlirContext{Ptr: c.Pointer()}
	m := mlirtest.Parse(t, c, `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}`)
	check.Diff(t, "context", context, capi.MlirModuleGetContext(table, capi.MlirModule{Ptr: m.Pointer()}))
	f, _ := m.SymbolTable().Lookup("main")
	equal := capi.StablehloComparisonDirectionAttrGet(table, context, "EQ")
	capi.MlirFuncSetArgAttr(table, capi.MlirOperation{Ptr: f.Pointer()}, 0, "test.direction", equal)
	attributes, _ := f.Attribute("arg_attrs")
	each, _ := attributes.Elements()
	direction := c.AttributeFromPointer(equal.Ptr)
	check.Diff(t, "attributes", "{test.direction = "+direction.String()+"}", each[0].String())

	sum := f.Region(0).First().First()
	operand := capi.MlirOperationGetOperand(table, capi.MlirOperation{Ptr: sum.Pointer()}, 1)
	check.Diff(t, "operand", f.Region(0).First().Argument(0), c.ValueFromPointer(operand.Ptr))
	check.Diff(t, "type", sum.Result(0).Type(), c.TypeFromPointer(capi.MlirValueGetType(table, operand).Ptr))
	next := capi.MlirOperationGetNextInBlock(table, capi.MlirOperation{Ptr: sum.Pointer()})
	check.Diff(t, "operation", "func.return", c.OperationFromPointer(next.Ptr).Name())
	check.Diff(t, "contraction", false, capi.MlirLinalgIsAContractionOp(table, next))

	seven := capi.MlirAffineConstantExprGet(table, context, 7)
	check.Diff(t, "number", int64(7), capi.MlirAffineConstantExprGetValue(table, seven))
	set := capi.MlirIntegerSetEmptyGet(table, context, 2, 1)
	check.Diff(t, "dimensions", 2, capi.MlirIntegerSetGetNumDims(table, set))
}
