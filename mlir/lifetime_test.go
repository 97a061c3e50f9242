package mlir_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// loose returns a context that accepts unregistered operations, so that one test fits all
// libraries.
func loose(t testing.TB, e mlirtest.Engine) *mlir.Context {
	t.Helper()
	c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
	check.Cleanup(t, c)
	return c
}

func create(t testing.TB, c *mlir.Context, s mlir.OperationState) mlir.Operation {
	t.Helper()
	o, err := mlir.Create(c, s)
	check.NoError(t, err)
	return o
}

func op(m *mlir.Module, name string) mlir.Operation {
	for o := range m.Operation().All() {
		if o.Name() == name {
			return o
		}
	}
	panic("no " + name)
}

const nested = `module {
  %a = "t.make"() : () -> i32
  "t.outer"(%a) ({
  ^first(%x: i32):
    %b = "t.inner"(%a, %x) : (i32, i32) -> i32
    "t.jump"()[^second] : () -> ()
  ^second:
    "t.end"(%b) : (i32) -> ()
  }) : (i32) -> ()
}`

// TestErased uses every kind of handle to an erased object.
func TestErased(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, nested)
		outer, inner, end, made := op(m, "t.outer"), op(m, "t.inner"), op(m, "t.end"), op(m, "t.make")
		region := outer.Region(0)
		block := region.First()
		argument, result := block.Argument(0), inner.Result(0)
		before := made.Result(0).NumUses()

		check.Error(t, made.Erase(), "its result 0 is used by")
		check.NoError(t, outer.Erase())
		if before != 2 || made.Result(0).HasUses() {
			t.Errorf("the value had %d uses, and has some still: %v", before, made.Result(0).HasUses())
		}
		if want, got := "module {\n  %0 = \"t.make\"() : () -> i32\n}\n", m.String(); got != want {
			t.Errorf("module is\n%s", got)
		}
		erased := "that Operation.Erase has erased"
		check.Panics(t, "Operation.Name called on an operation "+erased, func() { outer.Name() })
		check.Panics(t, "Operation.Erase called on an operation "+erased, func() { outer.Erase() })
		check.Panics(t, erased, func() { _ = inner.String() })
		check.Panics(t, erased, func() { end.SetOperand(0, made.Result(0)) })
		check.Panics(t, erased, func() { region.First() })
		check.Panics(t, erased, func() { block.Terminator() })
		check.Panics(t, erased, func() { argument.Type() })
		check.Panics(t, erased, func() { result.ReplaceAllUses(made.Result(0)) })
		check.Panics(t, "was given a value "+erased, func() { made.Result(0).ReplaceAllUses(result) })
		check.Panics(t, "was given an operation "+erased, func() { m.Body().Append(outer) })
		check.Panics(t, "was given a value "+erased, func() {
			mlir.Create(c, mlir.OperationState{Name: "t.use", Operands: []mlir.Value{argument}})
		})
		m.Close()
		check.Panics(t, "Operation.Name called after Module.Close", func() { outer.Name() })
		if again := mlirtest.Parse(t, c, nested); op(again, "t.outer").NumRegions() != 1 {
			t.Error("erasing from one module ended handles into a new one")
		}
	})
}

// TestEraseBlocks erases blocks, arguments and regions, used and unused.
func TestEraseBlocks(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, nested)
		outer := op(m, "t.outer")
		region := outer.Region(0)
		one := region.First()
		two := one.Next()
		check.Error(t, one.Erase(), "the block cannot be erased: a value in it is used by t.end")
		check.Error(t, two.Erase(), "t.jump at test.mlir:6:5 branches to it")
		check.Error(t, one.EraseArgument(0), "argument 0 cannot be erased: it is used by t.inner")
		check.Error(t, region.Erase(), "only with the operation")
		op(m, "t.end").Erase()
		check.Panics(t, "Block.Argument(1): index out of range with length 1", func() { one.EraseArgument(1) })
		op(m, "t.inner").Erase()
		argument := one.Argument(0)
		check.NoError(t, one.EraseArgument(0))
		check.Panics(t, "a block argument that Block.EraseArgument has erased", func() { argument.Type() })
		for range 20 { // memory is reused
			one.AddArgument(c.IndexType(), mlir.Location{})
		}
		for _, a := range one.Arguments() {
			if got := a.Type().String(); got != "index" {
				t.Errorf("the new argument is of type %s", got)
			}
		}
		op(m, "t.jump").Erase()
		check.NoError(t, two.Erase())
		check.Panics(t, "that Block.Erase has erased", func() { two.NumArguments() })
		check.NoError(t, one.Erase())
		if !region.IsEmpty() || region.NumBlocks() != 0 {
			t.Error("the region is not empty")
		}
		loose := c.NewRegion()
		check.NoError(t, loose.Erase())
		check.Panics(t, "Region.First called after Region.Erase", func() { loose.First() })
		free := c.NewBlock(mlir.Location{}, c.IndexType())
		value := free.Argument(0)
		check.NoError(t, free.Erase())
		check.Panics(t, "Value.Type called after Block.Erase", func() { value.Type() })
	})
}

// TestAdded checks that handles to an object from before it was added to a module end with
// the module.
func TestAdded(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := c.NewModule(mlir.Location{})
		i32 := c.IntegerType(32, mlir.Signless)
		region := c.NewRegion()
		block := c.NewBlock(mlir.Location{}, i32)
		argument := block.Argument(0)
		leaf := create(t, c,
			mlir.OperationState{Name: "t.leaf", Operands: []mlir.Value{argument}, Results: []mlir.Type{i32}})
		result := leaf.Result(0)
		block.Append(leaf)
		region.Append(block)
		outer := create(t, c, mlir.OperationState{Name: "t.outer", Regions: []mlir.Region{region}})
		check.Panics(t, "a region that is part of an operation already", func() {
			mlir.Create(c, mlir.OperationState{Name: "t.outer", Regions: []mlir.Region{region}})
		})
		check.Panics(t, "to put an operation into itself", func() { block.Append(outer) })
		check.Panics(t, "to put an operation into itself", func() { block.InsertBefore(leaf, outer) })
		check.Panics(t, "get it with Operation.Region", func() { region.First() })
		check.Diff(t, "region", true, outer.Region(0).First().Region().First().Equal(block))
		region = outer.Region(0)
		m.Body().Append(outer)
		check.Panics(t, "is in a block already", func() { m.Body().Append(outer) })
		check.Panics(t, "a block that is part of a region already", func() { c.NewRegion().Append(block) })
		check.Panics(t, "which owns it", func() { block.Append(m.Operation()) })
		check.Panics(t, "close the module", func() { m.Operation().Erase() })
		check.Panics(t, "which owns it", func() { m.Operation().Detach() })
		m.Close()
		after := "called after Module.Close"
		check.Panics(t, after, func() { outer.Name() })
		check.Panics(t, after, func() { leaf.Name() })
		check.Panics(t, after, func() { result.Type() })
		check.Panics(t, after, func() { argument.Type() })
		check.Panics(t, after, func() { block.First() })
		check.Panics(t, after, func() { region.First() })
	})
}

// TestMovedOut keeps handles of all ages to an object that is moved from module to module.
func TestMovedOut(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		from := mlirtest.Parse(t, c, `"t.outer"() ({ "t.leaf"() : () -> () }) : () -> ()`)
		to, third := c.NewModule(mlir.Location{}), c.NewModule(mlir.Location{})
		outer, leaf := op(from, "t.outer"), op(from, "t.leaf")
		detached := outer.Detach()
		if !outer.Block().IsNil() || !detached.Equal(outer) || !from.Body().First().IsNil() {
			t.Error("the operation is not detached")
		}
		if again := outer.Detach(); !again.Equal(detached) {
			t.Error("detached twice is another one")
		}
		placed := to.Body().Append(outer)
		inTo := op(to, "t.leaf")
		third.Body().Append(placed.Detach())
		third.Close()
		check.Panics(t, "called after Module.Close", func() { op(third, "t.leaf") })
		for _, o := range []mlir.Operation{leaf, inTo, outer} {
			check.Panics(t, "Operation.Name called after Module.Close", func() { o.Name() })
		}
		from.Close()
		check.Panics(t, "called after Module.Close", func() { leaf.Name() })
		to.Close()
		check.Panics(t, "called after Module.Close", func() { inTo.Name() })
		check.Panics(t, "called after Module.Close", func() { outer.Name() })
	})
}

// TestOtherModule checks that no value of one module becomes an operand in another.
func TestOtherModule(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		one := mlirtest.Parse(t, c, nested)
		two := mlirtest.Parse(t, c, nested)
		value := op(one, "t.make").Result(0)
		user := create(t, c, mlir.OperationState{Name: "t.use", Operands: []mlir.Value{value}})
		check.Panics(t, "which uses a value or block that is not in the module", func() { two.Body().Append(user) })
		if !user.Block().IsNil() {
			t.Error("the operation was added all the same")
		}
		check.Panics(t, "is not in the module of the operation", func() { op(two, "t.end").SetOperand(0, value) })
		check.Panics(t, "is not in the module of the operation", func() { op(two, "t.end").SetOperands(value) })
		check.Panics(t, "is not in the module of the operation",
			func() { op(two, "t.make").Result(0).ReplaceAllUses(value) })
		check.Panics(t, "is still used where it was", func() { two.Body().Append(op(one, "t.make").Detach()) })
		check.Panics(t, "which uses a value or block that is not in the module",
			func() { two.Body().Append(op(one, "t.outer").Clone()) })
		one.Close()
		// The user is detached, and its operand was replaced by a placeholder.
		if got := user.Operand(0).Type().String(); got != "i32" {
			t.Errorf("the operand of a detached operation is of type %s", got)
		}
		check.Report(t, user.Erase())
		check.Report(t, two.Verify())
	})
}

// TestBranches checks that no operation branches to a block that was erased or is in
// another region.
func TestBranches(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m, other := mlirtest.Parse(t, c, nested), c.NewModule(mlir.Location{})
		region := op(m, "t.outer").Region(0)
		two := region.First().Next()
		check.Panics(t, "t.jump at test.mlir:6:5 branches to it", func() { two.Detach() })
		two.MoveBefore(region.First())
		check.Diff(t, "moved within the region", true, region.First().Equal(two))
		check.Panics(t, "branches to it", func() { two.MoveAfter(other.Body()) })
		op(m, "t.jump").MoveBefore(op(m, "t.outer"))
		check.Panics(t, "t.jump at test.mlir:6:5, outside of it, branches into it",
			func() { op(m, "t.outer").Detach() })
		check.Error(t, op(m, "t.outer").Erase(), "branches into it")
		jump := op(m, "t.jump").Detach()
		check.Panics(t, "t.jump, which uses a value or block that is not in the module",
			func() { other.Body().Append(jump) })
		made := create(t, c, mlir.OperationState{Name: "t.jump", Successors: []mlir.Block{two}})
		check.Panics(t, "which uses a value or block that is not in the module", func() { other.Body().Append(made) })
		free := c.NewBlock(mlir.Location{})
		jump.SetSuccessor(0, free)
		check.Report(t, free.Erase())
		other.Body().Detach()
		check.Panics(t, "the module's block was detached or erased", func() { other.Body() })
		if err := other.Verify(); err == nil {
			t.Error("a module without a block is valid")
		}
		replaced := jump.Successor(0)
		check.Diff(t, "a placeholder", 0, replaced.NumArguments())
		const only = " called on a placeholder for a block that was destroyed"
		check.Panics(t, "Block.Erase"+only, func() { _ = replaced.Erase() })
		check.Panics(t, "Block.Detach"+only, func() { replaced.Detach() })
		check.Panics(t, "Create"+only, func() { _, _ = mlir.Create(replaced, mlir.OperationState{Name: "t.a"}) })
		check.Panics(t, "Block.CreateLike"+only, func() { _, _ = replaced.CreateLike(op(m, "t.make")) })
		check.Panics(t, "Block.Append"+only, func() { replaced.Append(create(t, c, mlir.OperationState{Name: "t.a"})) })
	})
}

// TestBranchInto checks that a block cannot be removed while an operation outside branches
// to a block in it.
func TestBranchInto(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, `"t.top"() ({
^a:
  "t.outer"() ({
  ^first:
    "t.jump"()[^second] : () -> ()
  ^second:
    "t.end"() : () -> ()
  }) : () -> ()
^b:
  "t.last"() : () -> ()
}) : () -> ()`)
		a := op(m, "t.outer").Block()
		op(m, "t.jump").MoveBefore(op(m, "t.last"))
		check.Panics(t, ":5:5 branches to it", func() { a.Detach() })
		check.Error(t, a.Erase(), ":5:5 branches to it")
	})
}

// TestClosedWithLeftovers closes contexts in which objects of all kinds are left. Under
// AddressSanitizer or valgrind, this finds memory that is freed twice or never.
func TestClosedWithLeftovers(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
		i32 := c.IntegerType(32, mlir.Signless)
		m := mlirtest.Parse(t, c, nested)
		a := create(t, c, mlir.OperationState{Name: "t.a", Operands: []mlir.Value{op(m, "t.make").Result(0)},
			Results: []mlir.Type{i32}})
		create(t, c, mlir.OperationState{Name: "t.b", Operands: []mlir.Value{a.Result(0), op(m, "t.inner").Result(0)}})
		block := c.NewBlock(mlir.Location{}, i32)
		create(t, c, mlir.OperationState{Name: "t.c", Operands: []mlir.Value{block.Argument(0)},
			Successors: []mlir.Block{block}})
		region := c.NewRegion()
		region.Append(c.NewBlock(mlir.Location{}))
		op(m, "t.inner").Detach()
		op(m, "t.jump").Detach()
		op(m, "t.end").Block().Detach()
		op(m, "t.outer").Clone()
		m.Clone()
		mlirtest.Parse(t, c, nested).Close()
		c.Close()
	})
}

// TestNoGrowth checks that the memory of detached objects, modules and their erased parts
// is freed.
func TestNoGrowth(t *testing.T) {
	c := loose(t, mlirtest.Engine{Name: "default", Library: mlirtest.Library(t)})
	round := func() {
		m := mlirtest.Parse(t, c, nested)
		op(m, "t.outer").Erase()
		create(t, c, mlir.OperationState{Name: "t.a"}).Erase()
		m.Close()
	}
	for range 100 {
		round()
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 2000 {
		round()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 256<<10 {
		t.Errorf("2000 rounds hold %d bytes more", grown)
	}
}

func TestNilHandles(t *testing.T) {
	c := mlirtest.Context(t)
	m := c.NewModule(mlir.Location{})
	check.Panics(t, "Block.NumArguments called on a nil handle", func() { m.Operation().Block().NumArguments() })
	check.Panics(t, "Operation.Name called on a nil handle", func() { m.Body().First().Name() })
	check.Panics(t, "was given an operation that is nil", func() { m.Body().Append(m.Body().First()) })
	check.Panics(t, "called on a nil handle", func() { mlir.Value{}.Type() })
	check.Panics(t, "called on a nil handle", func() { mlir.Region{}.First() })
	if s := fmt.Sprint(mlir.Operation{}, mlir.Block{}, mlir.Value{}, mlir.Location{}); s !=
		"<nil operation> <nil block> <nil value> <nil location>" {
		t.Errorf("nil handles print as %s", s)
	}
	if !slices.Equal(slices.Collect(m.Body().Operations()), nil) {
		t.Error("an empty block has operations")
	}
}

func TestInvalidate(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, addition)
	f := op(m, "func.func")
	m.Invalidate("PassManager.Run")
	check.Panics(t, "Operation.Name called after PassManager.Run", func() { f.Name() })
	check.Diff(t, "the old one", false, op(m, "func.func").Equal(f))
	check.Diff(t, "anew", true, op(m, "func.func").Equal(op(m, "func.func")))
	m.Close()
	check.Panics(t, "Module.Invalidate called after Module.Close", func() { m.Invalidate("x") })
}
