package mlir_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

const sumModule = `module {
  func.func @f(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    return %0 : i32
  }
}`

// TestPointers passes each kind of object to C code and back.
func TestPointers(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, sumModule)
	f := m.Body().First()
	r := f.Region(0)
	b := r.First()
	add := b.First()
	x, sum := b.Argument(0), add.Result(0)
	i32, loc := x.Type(), add.Location()
	name, _ := f.Attribute("sym_name")
	check.Diff(t, "the module", true, c.ModuleFromPointer(m.Pointer()) == m)
	check.Diff(t, "an operation", true, c.OperationFromPointer(f.Pointer()) == f)
	check.Diff(t, "a region", true, c.RegionFromPointer(r.Pointer()) == r)
	check.Diff(t, "a block", true, c.BlockFromPointer(b.Pointer()) == b)
	check.Diff(t, "an argument", true, c.ValueFromPointer(x.Pointer()) == x)
	check.Diff(t, "a result", true, c.ValueFromPointer(sum.Pointer()) == sum)
	check.Diff(t, "a type", true, c.TypeFromPointer(i32.Pointer()) == i32)
	check.Diff(t, "an attribute", true, c.AttributeFromPointer(name.Pointer()) == name)
	check.Diff(t, "a location", true, c.LocationFromPointer(loc.Pointer()).Equal(loc))

	check.Diff(t, "nil", true, c.OperationFromPointer(nil).IsNil() && c.RegionFromPointer(nil).IsNil() &&
		c.BlockFromPointer(nil).IsNil() &&
		c.ValueFromPointer(nil).IsNil() && c.TypeFromPointer(nil).IsNil() && c.AttributeFromPointer(nil).IsNil() &&
		c.LocationFromPointer(nil).IsNil())

	other := mlirtest.Context(t)
	for method, f := range map[string]func(){
		"OperationFromPointer": func() { other.OperationFromPointer(f.Pointer()) },
		"ValueFromPointer":     func() { other.ValueFromPointer(x.Pointer()) },
		"ModuleFromPointer":    func() { other.ModuleFromPointer(m.Pointer()) },
		"TypeFromPointer":      func() { other.TypeFromPointer(i32.Pointer()) },
		"AttributeFromPointer": func() { other.AttributeFromPointer(name.Pointer()) },
		"LocationFromPointer":  func() { other.LocationFromPointer(loc.Pointer()) },
	} {
		check.Panics(t, method+" was given an object of another context", f)
	}
	check.Panics(t, "given a nil pointer", func() { c.ModuleFromPointer(nil) })
	check.Panics(t, "given a nil pointer", func() { c.Library().ContextFromPointer(nil) })
	check.Panics(t, "called on no library", func() { (*mlir.Library)(nil).ContextFromPointer(c.Pointer()) })
	detached := check.Must(mlir.Create(c,
		mlir.OperationState{Name: "builtin.module", Regions: []mlir.Region{c.NewRegion()}}))
	check.Panics(t, "use Context.Adopt", func() { c.ModuleFromPointer(detached.Pointer()) })
	pm := check.Must(c.NewPassManager(mlir.PassManagerOptions{}))
	api := raw.Table(c)
	list := capi.MlirPassManagerGetAsOpPassManager(api, capi.MlirPassManager{Ptr: pm.Pointer()})
	added := capi.MlirOpPassManagerAddPipeline(api, list, "cse", nil, nil)
	check.Diff(t, "a pass that C code added", "1 builtin.module(cse)", fmt.Sprint(added.Value, " ", pm))
	check.NoError(t, pm.Close())
	check.Panics(t, "PassManager.Pointer called after PassManager.Close", func() { pm.Pointer() })
	check.NoError(t, m.Close())
	check.Panics(t, "Operation.Pointer called after Module.Close", func() { f.Pointer() })
	check.Panics(t, "Module.Pointer called after Module.Close", func() { m.Pointer() })
}

// TestForeignModule works on a module in a context, both of which C code owns.
func TestForeignModule(t *testing.T) {
	l := mlirtest.Context(t).Library()
	api := raw.LibraryTable(l)
	registry := capi.MlirDialectRegistryCreate(api)
	api.RegisterDialects(registry)
	foreign := capi.MlirContextCreateWithRegistry(api, registry, false)
	capi.MlirDialectRegistryDestroy(api, registry)
	defer capi.MlirContextDestroy(api, foreign)
	source := sumModule + "\x00"
	module := capi.MlirModuleCreateParse(api, foreign, source[:len(sumModule)])
	defer func() { capi.MlirModuleDestroy(api, module) }()
	print := func() string {
		return string(capi.Collect(func(cb capi.MlirStringCallback, ud unsafe.Pointer) {
			capi.MlirOperationPrint(api, capi.MlirModuleGetOperation(api, module), cb, ud)
		}))
	}

	c := l.ContextFromPointer(foreign.Ptr)
	check.Diff(t, "the pointer", foreign.Ptr, c.Pointer())
	body := capi.MlirModuleGetBody(api, module)
	check.Panics(t, "call ModuleFromPointer for the module first", func() { c.BlockFromPointer(body.Ptr) })
	check.Panics(t, "call ModuleFromPointer for the module first", func() {
		c.OperationFromPointer(capi.MlirModuleGetOperation(api, module).Ptr)
	})
	m := c.ModuleFromPointer(module.Ptr)
	check.Diff(t, "the same Module", true, m == c.ModuleFromPointer(module.Ptr))
	other := mlirtest.Parse(t, mlirtest.Context(t), sumModule)
	_, in := m.BlockFromPointer(other.Body().Pointer())
	check.Diff(t, "a block of another module", false, in)
	_, in = m.ValueFromPointer(other.Body().First().Region(0).First().Argument(0).Pointer())
	check.Diff(t, "a value of another module", false, in)
	b, in := m.BlockFromPointer(body.Ptr)
	check.Diff(t, "a block of the module", true, in && b == c.BlockFromPointer(body.Ptr))
	argument := b.First().Region(0).First().Argument(0)
	v, in := m.ValueFromPointer(argument.Pointer())
	check.Diff(t, "a value of the module", true, in && v == argument)
	_, in = m.BlockFromPointer(nil)
	check.Diff(t, "no block", false, in)
	f := c.BlockFromPointer(body.Ptr).First()
	f.SetAttribute("sym_name", c.StringAttribute("g"))
	first := f.Region(0).First().First()
	check.Must(mlir.Create(mlir.Before(first), mlir.OperationState{
		Name: "arith.muli", Operands: []mlir.Value{first.Operand(0), first.Operand(0)},
		Results: []mlir.Type{first.Operand(0).Type()},
	}))
	if err := first.Erase(); err == nil {
		t.Error("an operation whose result is used was erased")
	}
	check.NoError(t, m.Verify())
	// A diagnostic comes out as an error, and not on the host's terminal.
	_, err := c.ParseType("!nothing")
	check.Error(t, err, "nothing")

	check.NoError(t, m.Close())
	check.Panics(t, "after Module.Close", func() { f.Name() })
	again := c.ModuleFromPointer(module.Ptr)
	check.NoError(t, c.Close())
	check.Panics(t, "after Context.Close", func() { again.Body() })
	if text := print(); !strings.Contains(text, "func.func @g(") || !strings.Contains(text, "arith.muli") {
		t.Errorf("after the changes C code has\n%s", text)
	}
	check.Diff(t, "a second Context", false, func() bool {
		c := l.ContextFromPointer(foreign.Ptr)
		defer c.Close()
		return c.ModuleFromPointer(module.Ptr).Body().First().IsNil()
	}())
}

// TestForeignDetached gives the context what C code made and did not insert.
func TestForeignDetached(t *testing.T) {
	c := mlirtest.Context(t)
	api, h := raw.Table(c), raw.Context(c)
	m := mlirtest.Parse(t, c, "module {}")
	unknown := capi.MlirLocationUnknownGet(api, h)
	made := func() capi.MlirOperation {
		return capi.MlirModuleGetOperation(api, capi.MlirModuleCreateEmpty(api, unknown))
	}
	inner := capi.MlirOperationClone(api, capi.MlirBlockGetFirstOperation(api,
		capi.MlirModuleGetBody(api, capi.MlirModule{Ptr: mlirtest.Parse(t, c, sumModule).Pointer()})))
	o := c.OperationFromPointer(inner.Ptr)
	check.Diff(t, "the name", "func.func", o.Name())
	m.Body().Append(o)
	check.Diff(t, "is in the module", true, m.Body().First() == o)

	block := capi.MlirBlockCreate(api, 0, nil, nil)
	b := c.BlockFromPointer(block.Ptr)
	region := capi.MlirRegionCreate(api)
	r := c.RegionFromPointer(region.Ptr)
	r.Append(b)
	check.Diff(t, "is in the region", true, r.First() == b)
	check.NoError(t, r.Erase())
	check.Panics(t, "after Region.Erase", func() { b.First() })

	check.Panics(t, "call ModuleFromPointer", func() { c.OperationFromPointer(made().Ptr) })
}

// TestForeignInside takes a handle to something in a detached region and block of C code.
func TestForeignInside(t *testing.T) {
	c := mlirtest.Context(t)
	c.SetAllowUnregistered(true)
	api, h := raw.Table(c), raw.Context(c)
	i32 := capi.MlirIntegerTypeGet(api, h, 32)
	unknown := capi.MlirLocationUnknownGet(api, h)
	region := capi.MlirRegionCreate(api)
	block := capi.MlirBlockCreate(api, 1, &i32, &unknown)
	capi.MlirRegionAppendOwnedBlock(api, region, block)
	v := c.ValueFromPointer(capi.MlirBlockGetArgument(api, block, 0).Ptr)
	o := check.Must(mlir.Create(v.Block(), mlir.OperationState{Name: "t.use", Operands: []mlir.Value{v}}))
	check.Diff(t, "the region", region.Ptr, v.Block().Region().Pointer())
	check.Must(mlir.Create(c, mlir.OperationState{Name: "t.around", Regions: []mlir.Region{v.Block().Region()}}))
	check.Diff(t, "the operand", true, o.Operand(0) == v)
}
