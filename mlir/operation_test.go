package mlir_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// names are the operations of a block.
func names(b mlir.Block) []string {
	var out []string
	for o := range b.Operations() {
		out = append(out, strings.TrimPrefix(o.Name(), "t."))
	}
	return out
}

// without checks that a library returns an error for a function that it lacks, and reports
// whether it lacks the function.
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
	m := mlirtest.Parse(t, mlirtest.Context(t), addition)
	fn := m.Body().First()
	other := m.Operation().Clone()
	defer other.Erase()
	body := fn.Region(0).First()
	argument, sum := body.Argument(0), body.First().Result(0)
	for _, v := range []mlir.Value{argument, sum} {
		check.Diff(t, "in the function", true, fn.Encloses(v))
		check.Diff(t, "in the module", true, m.Operation().Encloses(v))
		check.Diff(t, "in another", false, other.Encloses(v))
		check.Diff(t, "in what makes or uses it", false, body.First().Encloses(v))
	}
	check.Panics(t, "Operation.Encloses called on a nil handle", func() { mlir.Operation{}.Encloses(sum) })
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
		check.Diff(t, "inserted", []string{"zero", "one", "two", "three", "four", "five"}, names(b))
		check.Panics(t, "Block.Insert(8): index out of range with length 7", func() { b.Insert(8, make("eight")) })

		check.Diff(t, "before", []bool{true, false, false},
			[]bool{one.IsBefore(two), two.IsBefore(one), one.IsBefore(one)})
		check.Panics(t, "are not in the same block", func() { one.IsBefore(m.Operation()) })
		check.Diff(t, "next", true, three.Next().Equal(four))
		check.Diff(t, "first", true, b.First().Equal(zero))
		four.MoveBefore(one)
		zero.MoveAfter(two)
		zero.MoveAfter(zero)
		check.Diff(t, "moved", []string{"four", "one", "two", "zero", "three", "five"}, names(b))
		check.Panics(t, "into itself", func() { m.Operation().MoveBefore(one) })
		check.Panics(t, "a detached operation", func() { one.MoveBefore(make("loose")) })

		other := c.NewModule(mlir.Location{})
		anchor := other.Body().Append(make("anchor"))
		one.MoveAfter(anchor)
		check.Diff(t, "moved out", [][]string{{"four", "two", "zero", "three", "five"}, {"anchor", "one"}},
			[][]string{names(b), names(other.Body())})
		check.Diff(t, "hash", []bool{true, false}, []bool{one.Hash() == anchor.Next().Hash(), one.Hash() == two.Hash()})
	})
}

func TestBlocksAndRegions(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, nested)
		outer := op(m, "t.outer")
		region := outer.Region(0)
		one := region.First()
		two := one.Next()
		check.Diff(t, "next", []bool{false, true, true, true},
			[]bool{two.IsNil(), two.Next().IsNil(), one.Region().Equal(region), m.Body().Next().IsNil()})
		jump := op(m, "t.jump")
		check.Diff(t, "successors", []int{1, 0}, []int{jump.NumSuccessors(), outer.NumSuccessors()})
		check.Diff(t, "successor", true, jump.Successor(0).Equal(two))
		check.Panics(t, "Operation.Successor(1): index out of range with length 1", func() { jump.Successor(1) })
		check.Panics(t, "a block of another region", func() { jump.SetSuccessor(0, m.Body()) })
		check.Diff(t, "predecessors", []int{1, 0}, []int{len(two.Predecessors()), len(one.Predecessors())})
		for _, s := range one.Successors() {
			check.Diff(t, "block's successor", true, s.Equal(two))
		}
		i32 := one.Argument(0).Type()
		one.AddArgument(c.IndexType(), mlir.Location{})
		one.InsertArgument(1, c.F32Type(), c.FileLocation("a.go", 1, 2))
		var types []string
		for _, a := range one.Arguments() {
			types = append(types, a.Type().String())
		}
		check.Diff(t, "arguments", []string{"i32", "f32", "index"}, types)
		check.Panics(t, "Block.InsertArgument(5): index out of range with length 4",
			func() { one.InsertArgument(5, i32, mlir.Location{}) })
		one.Argument(1).SetType(c.F64Type())
		check.Diff(t, "type", "f64", one.Argument(1).Type().String())
		check.Diff(t, "kinds", []bool{true, false}, []bool{one.Argument(0).IsArgument(), one.Argument(0).IsResult()})
		loc, err := one.Argument(1).Location()
		if !without(t, e, "mlirValueGetLocation", err) {
			check.Diff(t, "location", mlir.Position{File: "a.go", Line: 1, Column: 2}, loc.Position())
		}
		err = one.Argument(1).SetLocation(c.FileLocation("b.go", 3, 4))
		if !without(t, e, "mlirBlockArgumentSetLocation", err) {
			loc, _ = one.Argument(1).Location()
			check.Diff(t, "location", "b.go", loc.Position().File)
		}
		check.Panics(t, "called on a result", func() { op(m, "t.make").Result(0).SetLocation(mlir.Location{}) })

		// Insert blocks at positions.
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
		check.Diff(t, "blocks", []int{1, 2, 3, 4}, counts(r))
		check.Panics(t, "Region.Insert(6): index out of range with length 5", func() { r.Insert(6, tag(0)) })
		check.Panics(t, "an anchor in another region", func() { r.InsertAfter(one, tag(0)) })
		second.MoveAfter(r.First().Next().Next())
		r.First().MoveAfter(second)
		check.Diff(t, "moved", []int{3, 2, 1, 4}, counts(r))

		// Move a body to another region.
		check.Panics(t, "needs an empty region", func() { region.TakeBody(r) })
		holder := m.Body().Append(
			create(t, c, mlir.OperationState{Name: "t.holder", Regions: []mlir.Region{c.NewRegion(), c.NewRegion()}}))
		holder.Region(0).TakeBody(r)
		check.Diff(t, "taken", [][]int{nil, {3, 2, 1, 4}}, [][]int{counts(r), counts(holder.Region(0))})
		check.Diff(t, "next region", []bool{true, true, true},
			[]bool{holder.Region(0).Next().Equal(holder.Region(1)), holder.Region(1).Next().IsNil(), r.Next().IsNil()})
		holder.Region(1).TakeBody(holder.Region(0))
		check.Diff(t, "taken within", []int{3, 2, 1, 4}, counts(holder.Region(1)))
		m.Close()
		check.Panics(t, "called after", func() { holder.Region(1) })
		if got := counts(r); got != nil {
			t.Errorf("the region has %v", got)
		}
	})
}

func TestAttributesInPlace(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, `func.func private @f() attributes {a.b = 1 : i32, c.d}`)
		f := op(m, "func.func")
		has := func(n string) bool { return f.HasInherent(n) }
		check.Diff(t, "inherent", []bool{true, false, false}, []bool{has("sym_name"), has("a.b"), has("nosuch")})
		inherent, _ := f.Inherent("sym_name")
		check.Diff(t, "sym_name", `"f"`, inherent.String())
		_, ok := f.Inherent("a.b")
		_, discardable := f.Discardable("a.b")
		_, mixed := f.Discardable("sym_name")
		check.Diff(t, "kinds", []bool{false, true, false}, []bool{ok, discardable, mixed})
		var list []string
		for n := range f.Discardables() {
			list = append(list, n)
		}
		check.Diff(t, "discardable ones", []string{"a.b", "c.d"}, list)
		f.SetDiscardable("e.f", c.UnitAttribute())
		f.SetInherent("sym_name", c.StringAttribute("g"))
		check.Diff(t, "removed", []bool{true, false, true},
			[]bool{f.RemoveDiscardable("a.b"), f.RemoveDiscardable("a.b"), f.RemoveAttribute("c.d")})
		check.Panics(t, "is an inherent attribute", func() { f.SetDiscardable("sym_name", c.UnitAttribute()) })
		check.Panics(t, `has no inherent attribute "a.b"`, func() { f.SetInherent("a.b", c.UnitAttribute()) })
		check.Panics(t, "cannot be set to unit", func() { f.SetInherent("sym_name", c.UnitAttribute()) })
		check.Panics(t, "the attribute function_type of func.func cannot be",
			func() { f.SetAttribute("function_type", c.StringAttribute("x")) })
		check.Panics(t, "an empty name", func() { f.SetAttribute("", c.UnitAttribute()) })
		check.Panics(t, "called on a zero value", func() { f.SetAttribute("x", mlir.Attribute{}) })
		for n := range f.Attributes() { // the loop removes one
			f.RemoveDiscardable(n)
		}
		check.Report(t, m.Verify())
		check.Diff(t, "function", "func.func private @g()", strings.TrimSpace(f.String()))
	})
}

func TestUses(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, `
%a, %b = "t.make"() : () -> (i32, i32)
"t.x"(%a, %a) : (i32, i32) -> ()
"t.y"(%a) : (i32) -> ()`)
		a, b := op(m, "t.make").Result(0), op(m, "t.make").Result(1)
		x, y := op(m, "t.x"), op(m, "t.y")
		check.Diff(t, "uses", []int{3, 0}, []int{a.NumUses(), b.NumUses()})
		a.ReplaceAllUsesExcept(b, y)
		check.Diff(t, "but for y", []bool{true, true, true},
			[]bool{x.Operand(0).Equal(b), x.Operand(1).Equal(b), y.Operand(0).Equal(a)})
		b.ReplaceAllUses(b)
		x.ReplaceUsesOf(b, a)
		check.Diff(t, "in x", []int{3, 0}, []int{a.NumUses(), b.NumUses()})
		x.SetOperands(b)
		check.Diff(t, "set", []any{1, true}, []any{x.NumOperands(), x.Operand(0).Equal(b)})
		x.SetOperands()
		check.Diff(t, "none", []any{0, false}, []any{x.NumOperands(), b.HasUses()})
		check.Diff(t, "name", []string{"%0#0", "%0#1"},
			[]string{a.Name(mlir.PrintOptions{}), b.Name(mlir.PrintOptions{})})
		err := y.SetLocation(c.FileLocation("y.go", 7, 1))
		if !without(t, e, "mlirOperationSetLocation", err) {
			check.Diff(t, "location", 7, y.Location().Position().Line)
		}
		loc, err := a.Location()
		check.Diff(t, "result's location", []any{2, nil}, []any{loc.Position().Line, err})
	})
}

func TestClone(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, nested)
		outer, made := op(m, "t.outer"), op(m, "t.make")
		plain := outer.Clone()
		check.Diff(t, "same operands", true, plain.Operand(0).Equal(made.Result(0)))
		m.Body().Append(plain)

		// With a mapping, the copy of t.outer uses the copy of t.make.
		var mapping mlir.Mapping
		madeCopy := m.Body().Append(made.CloneWith(&mapping))
		outerCopy := m.Body().Append(outer.CloneWith(&mapping))
		check.Diff(t, "mapped operand", true, outerCopy.Operand(0).Equal(madeCopy.Result(0)))
		block, _ := mapping.Block(outer.Region(0).First())
		check.Diff(t, "mapped block", true, block.Equal(outerCopy.Region(0).First()))
		value, _ := mapping.Value(op(m, "t.inner").Result(0))
		check.Diff(t, "mapped result", true, value.Owner().Parent().Equal(outerCopy))
		check.Diff(t, "inner operand", true, value.Owner().Operand(0).Equal(madeCopy.Result(0)))
		if _, ok := mapping.Value(block.Argument(0)); ok {
			t.Error("a value of the copy is mapped")
		}
		check.Report(t, m.Verify())
		whole := m.Clone()
		check.Diff(t, "module", m.String(), whole.String())
		m.Close()
		check.Report(t, whole.Verify())
	})
}

func TestCloneWithoutRegions(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, `%a = "t.make"() : () -> i32
"t.outer"(%a) ({
^first(%b: i32):
  %c = "t.inner"(%b) : (i32) -> i32
  "t.branch"()[^second] : () -> ()
^second:
  "t.use"(%c) : (i32) -> ()
}, {
  "t.empty"() : () -> ()
}) {kept = 7 : i32} : (i32) -> ()`)
		before := m.String()
		outer := op(m, "t.outer")
		copied := outer.CloneWithoutRegions()
		check.Diff(t, "operand", true, copied.Operand(0) == outer.Operand(0))
		check.Diff(t, "regions", 2, copied.NumRegions())
		for _, r := range copied.Regions() {
			check.Diff(t, "is empty", true, r.First().IsNil())
		}
		kept, _ := copied.Attribute("kept")
		check.Diff(t, "attribute", "7 : i32", kept.String())
		check.Diff(t, "the original", before, m.String())
		m.Body().Append(copied)
		check.NoError(t, m.Verify())
		without := op(m, "t.make").CloneWithoutRegions()
		check.Diff(t, "an operation without regions", "t.make", without.Name())
	})
}

func TestPostOrder(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, nested)
		var got []string
		whole := m.Operation().WalkPostOrder(func(o mlir.Operation) mlir.WalkAction {
			got = append(got, o.Name())
			return mlir.WalkContinue
		})
		check.Diff(t, "order", []string{"t.make", "t.inner", "t.jump", "t.end", "t.outer", "builtin.module"}, got)
		check.Diff(t, "whole", true, whole)
		stopped := m.Operation().WalkPostOrder(func(o mlir.Operation) mlir.WalkAction {
			if o.Name() == "t.inner" {
				return mlir.WalkStop
			}
			return mlir.WalkSkip
		})
		check.Diff(t, "stopped", false, stopped)
		var all []string
		for o := range m.Operation().All() {
			if all = append(all, o.Name()); len(all) == 3 {
				break
			}
		}
		check.Diff(t, "all", []string{"builtin.module", "t.make", "t.outer"}, all)
		// A walk can erase every operation that is not used.
		m.Operation().WalkPostOrder(func(o mlir.Operation) mlir.WalkAction {
			if o.Name() == "t.end" || o.Name() == "t.outer" {
				check.Report(t, o.Erase())
			}
			return mlir.WalkContinue
		})
		check.Diff(t, "left", []string{"make"}, names(m.Body()))

		// It can also erase operations that it would visit later, in either order.
		for what, walk := range map[string]func(mlir.Operation, func(mlir.Operation) mlir.WalkAction) bool{
			"pre": mlir.Operation.Walk, "post": mlir.Operation.WalkPostOrder,
		} {
			m := mlirtest.Parse(t, c,
				`"t.a"() : () -> () "t.b"() ({ "t.c"() : () -> () }) : () -> () "t.d"() : () -> ()`)
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
			check.Diff(t, what, []string{"builtin.module", "t.a", "t.d"}, got)
		}
	})
}

func TestParseOperation(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		o, err := c.ParseOperation("one.mlir", []byte("\n\"t.x\"() {k = 1 : i8} : () -> ()"))
		check.NoError(t, err)
		check.Diff(t, "operation", []any{"t.x", "one.mlir", true, false},
			[]any{o.Name(), o.Location().Position().File, o.Block().IsNil(), o.IsRegistered()})
		m := c.NewModule(mlir.Location{})
		m.Body().Append(o)
		_, err = c.ParseOperation("two.mlir", []byte("\"t.x\"("))
		var d *mlir.DiagnosticError
		if !errors.As(err, &d) || d.Diagnostics[0].Position.File != "two.mlir" {
			t.Errorf("error is %v", err)
		}
		whole, err := c.ParseOperation("", []byte("module @m { \"t.y\"() : () -> () }"))
		check.NoError(t, err)
		adopted, err := c.Adopt(whole)
		check.NoError(t, err)
		name, _ := adopted.Name()
		check.Diff(t, "module", []any{"m", []string{"y"}}, []any{name, names(adopted.Body())})
		if _, err := c.Adopt(whole); err == nil {
			t.Error("adopted twice")
		}
		if _, err := c.Adopt(o); err == nil {
			t.Error("adopted an operation that is in a module")
		}
		adopted.Close()
		check.Panics(t, "called after Module.Close", func() { whole.Name() })
	})
}

func TestInterfaces(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{})
		defer c.Close()
		check.Diff(t, "types", []bool{true, false, false, false},
			[]bool{c.InfersTypes("arith.addi"), c.InfersTypes("func.func"), c.InfersTypes("nosuch.op"),
				c.InfersShapes("func.func")})
		i32 := c.IntegerType(32, mlir.Signless)
		v := c.NewBlock(mlir.Location{}, i32).Argument(0)
		types, err := c.InferTypes(mlir.OperationState{Name: "arith.addi", Operands: []mlir.Value{v, v}})
		check.Diff(t, "inferred", []any{true, nil, false},
			[]any{len(types) == 1 && types[0].Equal(i32), err, v.HasUses()})
		if _, err := c.InferTypes(mlir.OperationState{Name: "arith.addi", Operands: []mlir.Value{v}}); err == nil ||
			!strings.Contains(err.Error(), "takes 2 operands") {
			t.Errorf("too few operands: %v", err)
		}
		if _, err := c.InferTypes(mlir.OperationState{Name: "func.return", Operands: []mlir.Value{v, v}}); err == nil {
			t.Error("inferred the result types of an operation that AllowInference does not know")
		}
	})
}

// TestCreateFails checks that an operation that cannot be created destroys its regions.
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
		op, err := mlir.Create(c, mlir.OperationState{Name: "arith.select", Operands: a, InferResults: true})
		if err == nil {
			if err = op.Verify(); err == nil {
				t.Error("a selection between types is valid")
			}
		}
	})
}
