package mlir_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

const threeOperations = `module {
  "t.first"() : () -> ()
  %v = "t.value"() : () -> i32
  "t.last"(%v) : (i32) -> ()
}`

// TestInsertionPoint creates two operations at each kind of insertion point.
func TestInsertionPoint(t *testing.T) {
	for _, test := range []struct {
		what string
		at   func(m *mlir.Module, value mlir.Operation) mlir.InsertionPoint
		want string
	}{
		{"the context", func(m *mlir.Module, _ mlir.Operation) mlir.InsertionPoint { return m.Context() },
			"first value last"},
		{"a block", func(m *mlir.Module, _ mlir.Operation) mlir.InsertionPoint { return m.Body() },
			"first value last a b"},
		{"AtEnd", func(m *mlir.Module, _ mlir.Operation) mlir.InsertionPoint { return mlir.AtEnd(m.Body()) },
			"first value last a b"},
		{"AtStart", func(m *mlir.Module, _ mlir.Operation) mlir.InsertionPoint { return mlir.AtStart(m.Body()) },
			"a b first value last"},
		{"Before", func(_ *mlir.Module, v mlir.Operation) mlir.InsertionPoint { return mlir.Before(v) },
			"first a b value last"},
		{"After", func(_ *mlir.Module, v mlir.Operation) mlir.InsertionPoint { return mlir.After(v) },
			"first value a b last"},
		{"After the last", func(_ *mlir.Module, v mlir.Operation) mlir.InsertionPoint { return mlir.After(v.Next()) },
			"first value last a b"},
		{"AfterValue of a result", func(_ *mlir.Module, v mlir.Operation) mlir.InsertionPoint {
			return mlir.AfterValue(v.Result(0))
		}, "first value a b last"},
		{"a rewriter", func(m *mlir.Module, v mlir.Operation) mlir.InsertionPoint {
			r := check.Must(m.Context().NewRewriter())
			r.SetInsertionPoint(mlir.Before(v))
			return r
		}, "first a b value last"},
	} {
		c := mlirtest.Context(t)
		c.SetAllowUnregistered(true)
		m := mlirtest.Parse(t, c, threeOperations)
		var value mlir.Operation
		for o := range m.Body().Operations() {
			if o.Name() == "t.value" {
				value = o
			}
		}
		ip := test.at(m, value)
		check.Diff(t, test.what+": its context", true, mlir.ContextOf(ip) == c)
		for _, name := range []string{"t.a", "t.b"} {
			check.Must(mlir.Create(ip, mlir.OperationState{Name: name}))
		}
		var got []string
		for o := range m.Body().Operations() {
			got = append(got, strings.TrimPrefix(o.Name(), "t."))
		}
		check.Diff(t, test.what, test.want, strings.Join(got, " "))
	}
}

// TestInsertionPointArgument creates an operation at the first position where the argument
// of a block can be used.
func TestInsertionPointArgument(t *testing.T) {
	c := mlirtest.Context(t)
	c.SetAllowUnregistered(true)
	b := c.NewBlock(c.UnknownLocation(), c.IndexType())
	check.Must(mlir.Create(b, mlir.OperationState{Name: "t.last"}))
	first := check.Must(mlir.Create(mlir.AfterValue(b.Argument(0)), mlir.OperationState{Name: "t.first"}))
	check.Diff(t, "is the first operation", true, first.Equal(b.First()))
}

func TestInsertionPointRefused(t *testing.T) {
	c := mlirtest.Context(t)
	c.SetAllowUnregistered(true)
	create := func(ip mlir.InsertionPoint) func() {
		return func() { _, _ = mlir.Create(ip, mlir.OperationState{Name: "t.new"}) }
	}
	detached := check.Must(mlir.Create(c, mlir.OperationState{Name: "t.alone"}))
	check.Panics(t, "Before was given an operation that is not in a block", func() { mlir.Before(detached) })
	check.Panics(t, "After was given an operation that is not in a block", func() { mlir.After(detached) })
	check.Panics(t, "an operation that is nil", func() { mlir.Before(mlir.Operation{}) })
	check.Panics(t, "called on a nil handle", func() { mlir.AtStart(mlir.Block{}) })

	m := mlirtest.Parse(t, c, threeOperations)
	stale := mlir.Before(m.Body().First())
	m.Body().First().Detach()
	check.Panics(t, "moved or was erased", create(stale))
	stale = mlir.Before(m.Body().First())
	m.Close()
	check.Panics(t, "moved or was erased", create(stale))
	for o := range mlirtest.Parse(t, c, threeOperations).Body().Operations() {
		if o.Name() == "t.first" {
			stale = mlir.Before(o)
			check.NoError(t, o.Erase())
		}
	}
	check.Panics(t, "moved or was erased", create(stale))
}

// TestErasedBlock checks that a call with a block that was erased says so, under its own name.
func TestErasedBlock(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, "func.func @f(%x: tensor<i32>) { return }")
	x, i32 := m.Body().First().Region(0).First().Argument(0), c.IntegerType(32, mlir.Signless)
	for _, test := range []struct {
		name, want string
		add        func(b mlir.Block, kept *mlir.Builder)
	}{
		{"Create", "mlir: Create was given a block that Operation.Erase has erased",
			func(b mlir.Block, _ *mlir.Builder) {
				_, _ = mlir.Create(b, mlir.OperationState{Name: "func.return"})
			}},
		{"Block.Append", "mlir: Block.Append called on a block that Operation.Erase has erased",
			func(b mlir.Block, _ *mlir.Builder) {
				b.Append(m.Body().First())
			}},
		{"an operation of StableHLO", "Create was given a block that Operation.Erase has erased",
			func(_ mlir.Block, builder *mlir.Builder) {
				stablehlo.AfterAllOp{}.Create(builder)
				panic(builder.Err().Error())
			}},
		{"Infer", "mlir: Create was given a block that Operation.Erase has erased",
			func(b mlir.Block, _ *mlir.Builder) {
				_, _ = inferred(b, mlir.Location{}, "stablehlo.add", x, x)
			}},
		{"a new Builder", "Create was given a block that Operation.Erase has erased",
			func(b mlir.Block, _ *mlir.Builder) {
				builder := mlir.NewBuilder(b, mlir.Location{})
				arith.ConstantInt(builder, i32, 1)
				panic(builder.Err().Error())
			}},
		{"an earlier Builder", "Create was given a block that Operation.Erase has erased",
			func(_ mlir.Block, builder *mlir.Builder) {
				function.Return(builder)
				panic(builder.Err().Error())
			}},
	} {
		f := mlirtest.Parse(t, c, "func.func @g() { return }").Body().First()
		b := f.Region(0).First()
		builder := mlir.NewBuilder(b, mlir.Location{})
		check.NoError(t, f.Erase())
		t.Run(test.name, func(t *testing.T) {
			check.Panics(t, test.want, func() { test.add(b, builder) })
		})
	}
}
