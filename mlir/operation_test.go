package mlir_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// same compares with go-cmp and names what was compared.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// names are the operations of a block.
func names(b mlir.Block) []string {
	var out []string
	for o := range b.Operations() {
		out = append(out, strings.TrimPrefix(o.Name(), "t."))
	}
	return out
}

// without asserts that a library refuses what it lacks, and reports whether it lacks it.
func without(t *testing.T, e mlirtest.Engine, function string, err error) bool {
	t.Helper()
	if e.Library.Has(function) {
		if err != nil {
			t.Errorf("%s: %v", function, err)
		}
		return false
	}
	if !errors.Is(err, mlir.ErrUnsupported) {
		t.Errorf("%s is missing, and the error is %v", function, err)
	}
	return true
}

func TestEncloses(t *testing.T) {
	m := parse(t, mlirtest.Context(t), addition)
	fn := m.Body().First()
	other := m.Operation().Clone()
	defer other.Erase()
	body := fn.Region(0).First()
	argument, sum := body.Argument(0), body.First().Result(0)
	for _, v := range []mlir.Value{argument, sum} {
		same(t, "in the function", fn.Encloses(v), true)
		same(t, "in the module", m.Operation().Encloses(v), true)
		same(t, "in another", other.Encloses(v), false)
		same(t, "in what makes or uses it", body.First().Encloses(v), false)
	}
	mustPanic(t, "Operation.Encloses called on a zero value", func() { mlir.Operation{}.Encloses(sum) })
}

func TestPlaces(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := c.NewModule(mlir.Location{})
		b := m.Body()
		make := func(name string) mlir.Operation { return create(t, c, mlir.OperationState{Name: "t." + name}) }
		one := b.Append(make("one"))
		three := b.Append(make("three"))
		two := b.InsertBefore(three, make("two"))
		four := b.InsertAfter(three, make("four"))
		zero := b.Insert(0, make("zero"))
		b.Insert(5, make("five"))
		same(t, "inserted", names(b), []string{"zero", "one", "two", "three", "four", "five"})
		mustPanic(t, "Block.Insert(8): there are 7", func() { b.Insert(8, make("eight")) })

		same(t, "before", []bool{one.IsBefore(two), two.IsBefore(one), one.IsBefore(one)}, []bool{true, false, false})
		mustPanic(t, "do not stand in one block", func() { one.IsBefore(m.Operation()) })
		same(t, "next", three.Next().Equal(four), true)
		same(t, "first", b.First().Equal(zero), true)
		four.MoveBefore(one)
		zero.MoveAfter(two)
		zero.MoveAfter(zero)
		same(t, "moved", names(b), []string{"four", "one", "two", "zero", "three", "five"})
		mustPanic(t, "into itself", func() { m.Operation().MoveBefore(one) })
		mustPanic(t, "a detached operation", func() { one.MoveBefore(make("loose")) })

		other := c.NewModule(mlir.Location{})
		anchor := other.Body().Append(make("anchor"))
		one.MoveAfter(anchor)
		same(t, "moved out", [][]string{names(b), names(other.Body())},
			[][]string{{"four", "two", "zero", "three", "five"}, {"anchor", "one"}})
		same(t, "hash", []bool{one.Hash() == anchor.Next().Hash(), one.Hash() == two.Hash()}, []bool{true, false})
	})
}

func TestBlocksAndRegions(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := parse(t, c, nested)
		outer := op(m, "t.outer")
		region := outer.Region(0)
		one := region.First()
		two := one.Next()
		same(t, "next", []bool{two.IsNil(), two.Next().IsNil(), one.Region().Equal(region), m.Body().Next().IsNil()}, []bool{false, true, true, true})
		jump := op(m, "t.jump")
		same(t, "successors", []int{jump.NumSuccessors(), outer.NumSuccessors()}, []int{1, 0})
		same(t, "successor", jump.Successor(0).Equal(two), true)
		mustPanic(t, "Operation.Successor(1): there are 1", func() { jump.Successor(1) })
		mustPanic(t, "a block of another region", func() { jump.SetSuccessor(0, m.Body()) })
		same(t, "predecessors", []int{len(two.Predecessors()), len(one.Predecessors())}, []int{1, 0})
		for _, s := range one.Successors() {
			same(t, "block's successor", s.Equal(two), true)
		}
		i32 := one.Argument(0).Type()
		one.AddArgument(c.IndexType(), mlir.Location{})
		one.InsertArgument(1, c.F32Type(), c.FileLocation("a.go", 1, 2))
		var types []string
		for _, a := range one.Arguments() {
			types = append(types, a.Type().String())
		}
		same(t, "arguments", types, []string{"i32", "f32", "index"})
		mustPanic(t, "Block.InsertArgument(5): there are 4", func() { one.InsertArgument(5, i32, mlir.Location{}) })
		one.Argument(1).SetType(c.F64Type())
		same(t, "type", one.Argument(1).Type().String(), "f64")
		same(t, "kinds", []bool{one.Argument(0).IsArgument(), one.Argument(0).IsResult()}, []bool{true, false})
		at, err := one.Argument(1).Location()
		if !without(t, e, "mlirValueGetLocation", err) {
			same(t, "location", at.Position(), mlir.Position{File: "a.go", Line: 1, Column: 2})
		}
		err = one.Argument(1).SetLocation(c.FileLocation("b.go", 3, 4))
		if !without(t, e, "mlirBlockArgumentSetLocation", err) {
			at, _ = one.Argument(1).Location()
			same(t, "location", at.Position().File, "b.go")
		}
		mustPanic(t, "called on a result", func() { op(m, "t.make").Result(0).SetLocation(mlir.Location{}) })

		// Blocks by place.
		r := c.NewRegion()
		tag := func(n int) mlir.Block {
			b := c.NewBlock(mlir.Location{})
			for range n {
				b.AddArgument(i32, mlir.Location{})
			}
			return b
		}
		second := tag(2)
		r.Append(second)
		r.InsertBefore(second, tag(1))
		r.InsertAfter(second, tag(4))
		r.Insert(2, tag(3))
		counts := func(r mlir.Region) (out []int) {
			for b := range r.Blocks() {
				out = append(out, b.NumArguments())
			}
			return out
		}
		same(t, "blocks", counts(r), []int{1, 2, 3, 4})
		mustPanic(t, "Region.Insert(6): there are 5", func() { r.Insert(6, tag(0)) })
		mustPanic(t, "a block of another region", func() { r.InsertAfter(one, tag(0)) })
		second.MoveAfter(r.First().Next().Next())
		r.First().MoveAfter(second)
		same(t, "moved", counts(r), []int{3, 2, 1, 4})

		// A body goes to another region.
		mustPanic(t, "needs an empty region", func() { region.TakeBody(r) })
		holder := m.Body().Append(create(t, c, mlir.OperationState{Name: "t.holder", Regions: []mlir.Region{c.NewRegion(), c.NewRegion()}}))
		holder.Region(0).TakeBody(r)
		same(t, "taken", [][]int{counts(r), counts(holder.Region(0))}, [][]int{nil, {3, 2, 1, 4}})
		same(t, "next region", []bool{holder.Region(0).Next().Equal(holder.Region(1)), holder.Region(1).Next().IsNil(), r.Next().IsNil()}, []bool{true, true, true})
		holder.Region(1).TakeBody(holder.Region(0))
		same(t, "taken within", counts(holder.Region(1)), []int{3, 2, 1, 4})
		m.Close()
		mustPanic(t, "called after", func() { holder.Region(1) })
		if got := counts(r); got != nil {
			t.Errorf("the region has %v", got)
		}
	})
}

func TestAttributesInPlace(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := parse(t, c, `func.func private @f() attributes {a.b = 1 : i32, c.d}`)
		f := op(m, "func.func")
		has := func(n string) bool { return f.HasInherent(n) }
		same(t, "inherent", []bool{has("sym_name"), has("a.b"), has("nosuch")}, []bool{true, false, false})
		inherent, _ := f.Inherent("sym_name")
		same(t, "sym_name", inherent.String(), `"f"`)
		_, ok := f.Inherent("a.b")
		_, discardable := f.Discardable("a.b")
		_, mixed := f.Discardable("sym_name")
		same(t, "kinds", []bool{ok, discardable, mixed}, []bool{false, true, false})
		var list []string
		for n := range f.Discardables() {
			list = append(list, n)
		}
		same(t, "discardable ones", list, []string{"a.b", "c.d"})
		f.SetDiscardable("e.f", c.UnitAttribute())
		f.SetInherent("sym_name", c.StringAttribute("g"))
		same(t, "removed", []bool{f.RemoveDiscardable("a.b"), f.RemoveDiscardable("a.b"), f.RemoveAttribute("c.d")}, []bool{true, false, true})
		mustPanic(t, "is an inherent attribute", func() { f.SetDiscardable("sym_name", c.UnitAttribute()) })
		mustPanic(t, `has no inherent attribute "a.b"`, func() { f.SetInherent("a.b", c.UnitAttribute()) })
		mustPanic(t, "cannot be unit", func() { f.SetInherent("sym_name", c.UnitAttribute()) })
		mustPanic(t, "the attribute function_type of func.func cannot be", func() { f.SetAttribute("function_type", c.StringAttribute("x")) })
		mustPanic(t, "an empty name", func() { f.SetAttribute("", c.UnitAttribute()) })
		mustPanic(t, "called on a zero value", func() { f.SetAttribute("x", mlir.Attribute{}) })
		for n := range f.Attributes() { // one is removed while iterating
			f.RemoveDiscardable(n)
		}
		if err := m.Verify(); err != nil {
			t.Error(err)
		}
		same(t, "function", strings.TrimSpace(f.String()), "func.func private @g()")
	})
}

func TestUses(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := parse(t, c, `
%a, %b = "t.make"() : () -> (i32, i32)
"t.x"(%a, %a) : (i32, i32) -> ()
"t.y"(%a) : (i32) -> ()`)
		a, b := op(m, "t.make").Result(0), op(m, "t.make").Result(1)
		x, y := op(m, "t.x"), op(m, "t.y")
		same(t, "uses", []int{a.NumUses(), b.NumUses()}, []int{3, 0})
		a.ReplaceAllUsesExcept(b, y)
		same(t, "but for y", []bool{x.Operand(0).Equal(b), x.Operand(1).Equal(b), y.Operand(0).Equal(a)}, []bool{true, true, true})
		b.ReplaceAllUses(b)
		x.ReplaceUsesOf(b, a)
		same(t, "in x", []int{a.NumUses(), b.NumUses()}, []int{3, 0})
		x.SetOperands(b)
		same(t, "set", []any{x.NumOperands(), x.Operand(0).Equal(b)}, []any{1, true})
		x.SetOperands()
		same(t, "none", []any{x.NumOperands(), b.HasUses()}, []any{0, false})
		same(t, "name", []string{a.Name(mlir.PrintOptions{}), b.Name(mlir.PrintOptions{})}, []string{"%0#0", "%0#1"})
		err := y.SetLocation(c.FileLocation("y.go", 7, 1))
		if !without(t, e, "mlirOperationSetLocation", err) {
			same(t, "location", y.Location().Position().Line, 7)
		}
		at, err := a.Location()
		same(t, "result's location", []any{at.Position().Line, err}, []any{2, nil})
	})
}

func TestClone(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := parse(t, c, nested)
		outer, made := op(m, "t.outer"), op(m, "t.make")
		plain := outer.Clone()
		same(t, "same operands", plain.Operand(0).Equal(made.Result(0)), true)
		m.Body().Append(plain)

		// With a mapping: the copy of t.make stands for it in the copy of t.outer.
		var mapping mlir.Mapping
		madeCopy := m.Body().Append(made.CloneWith(&mapping))
		outerCopy := m.Body().Append(outer.CloneWith(&mapping))
		same(t, "mapped operand", outerCopy.Operand(0).Equal(madeCopy.Result(0)), true)
		block, _ := mapping.Block(outer.Region(0).First())
		same(t, "mapped block", block.Equal(outerCopy.Region(0).First()), true)
		value, _ := mapping.Value(op(m, "t.inner").Result(0))
		same(t, "mapped result", value.Owner().Parent().Equal(outerCopy), true)
		same(t, "inner operand", value.Owner().Operand(0).Equal(madeCopy.Result(0)), true)
		if _, ok := mapping.Value(block.Argument(0)); ok {
			t.Error("a value of the copy is mapped")
		}
		if err := m.Verify(); err != nil {
			t.Error(err)
		}
		whole := m.Clone()
		same(t, "module", whole.String(), m.String())
		m.Close()
		if err := whole.Verify(); err != nil {
			t.Error(err)
		}
	})
}

func TestPostOrder(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := parse(t, c, nested)
		var got []string
		whole := m.Operation().WalkPostOrder(func(o mlir.Operation) mlir.WalkAction {
			got = append(got, o.Name())
			return mlir.WalkContinue
		})
		same(t, "order", got, []string{"t.make", "t.inner", "t.jump", "t.end", "t.outer", "builtin.module"})
		same(t, "whole", whole, true)
		stopped := m.Operation().WalkPostOrder(func(o mlir.Operation) mlir.WalkAction {
			if o.Name() == "t.inner" {
				return mlir.WalkStop
			}
			return mlir.WalkSkip
		})
		same(t, "stopped", stopped, false)
		var all []string
		for o := range m.Operation().All() {
			if all = append(all, o.Name()); len(all) == 3 {
				break
			}
		}
		same(t, "all", all, []string{"builtin.module", "t.make", "t.outer"})
		// Everything that nobody uses can be erased on the way.
		m.Operation().WalkPostOrder(func(o mlir.Operation) mlir.WalkAction {
			if o.Name() == "t.end" || o.Name() == "t.outer" {
				if err := o.Erase(); err != nil {
					t.Error(err)
				}
			}
			return mlir.WalkContinue
		})
		same(t, "left", names(m.Body()), []string{"make"})

		// So can, in either order, what would be visited later.
		for what, walk := range map[string]func(mlir.Operation, func(mlir.Operation) mlir.WalkAction) bool{
			"pre": mlir.Operation.Walk, "post": mlir.Operation.WalkPostOrder,
		} {
			m := parse(t, c, `"t.a"() : () -> () "t.b"() ({ "t.c"() : () -> () }) : () -> () "t.d"() : () -> ()`)
			var got []string
			walk(m.Operation(), func(o mlir.Operation) mlir.WalkAction {
				got = append(got, o.Name())
				if o.Name() == "t.a" {
					o.Next().Erase()
					o.Erase()
				}
				return mlir.WalkContinue
			})
			slices.Sort(got)
			same(t, what, got, []string{"builtin.module", "t.a", "t.d"})
		}
	})
}

func TestParseOperation(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		o, err := c.ParseOperation("one.mlir", []byte("\n\"t.x\"() {k = 1 : i8} : () -> ()"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "operation", []any{o.Name(), o.Location().Position().File, o.Block().IsNil(), o.IsRegistered()}, []any{"t.x", "one.mlir", true, false})
		m := c.NewModule(mlir.Location{})
		m.Body().Append(o)
		_, err = c.ParseOperation("two.mlir", []byte("\"t.x\"("))
		var d *mlir.DiagnosticError
		if !errors.As(err, &d) || d.Diagnostics[0].Position.File != "two.mlir" {
			t.Errorf("error is %v", err)
		}
		whole, err := c.ParseOperation("", []byte("module @m { \"t.y\"() : () -> () }"))
		if err != nil {
			t.Fatal(err)
		}
		adopted, err := c.Adopt(whole)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := adopted.Name()
		same(t, "module", []any{name, names(adopted.Body())}, []any{"m", []string{"y"}})
		if _, err := c.Adopt(whole); err == nil {
			t.Error("adopted twice")
		}
		if _, err := c.Adopt(o); err == nil {
			t.Error("adopted what stands in a module")
		}
		adopted.Close()
		mustPanic(t, "called after Module.Close", func() { whole.Name() })
	})
}

func TestInterfaces(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{})
		defer c.Close()
		same(t, "types", []bool{c.InfersTypes("arith.addi"), c.InfersTypes("func.func"), c.InfersTypes("nosuch.op"), c.InfersShapes("func.func")},
			[]bool{true, false, false, false})
		mlir.AllowInference("arith.addi", mlir.Inference{Operands: 2})
		i32 := c.IntegerType(32, mlir.Signless)
		v := c.NewBlock(mlir.Location{}, i32).Argument(0)
		types, err := c.InferTypes(mlir.OperationState{Name: "arith.addi", Operands: []mlir.Value{v, v}})
		same(t, "inferred", []any{len(types) == 1 && types[0].Equal(i32), err, v.HasUses()}, []any{true, nil, false})
		if _, err := c.InferTypes(mlir.OperationState{Name: "arith.addi", Operands: []mlir.Value{v}}); err == nil || !strings.Contains(err.Error(), "takes 2 operands") {
			t.Errorf("too few operands: %v", err)
		}
		if _, err := c.InferTypes(mlir.OperationState{Name: "arith.subi", Operands: []mlir.Value{v, v}}); err == nil {
			t.Error("inference of an operation nobody vouched for")
		}
	})
}

// TestCreateFails holds that an operation that cannot be made takes its regions along.
func TestCreateFails(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{})
		defer c.Close()
		mlir.AllowInference("arith.select", mlir.Inference{Operands: 3})
		block := c.NewBlock(mlir.Location{}, c.IntegerType(1, mlir.Signless), c.F32Type(), c.F64Type())
		a := slices.Collect(func(yield func(mlir.Value) bool) {
			for _, v := range block.Arguments() {
				if !yield(v) {
					return
				}
			}
		})
		op, err := c.Create(mlir.OperationState{Name: "arith.select", Operands: a, InferResults: true})
		if err == nil {
			if err = op.Verify(); err == nil {
				t.Error("a selection between types is valid")
			}
		}
	})
}
