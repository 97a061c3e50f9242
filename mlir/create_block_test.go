package mlir_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// emptyFunction returns the first block of a function in a new module.
func emptyFunction(t *testing.T, c *mlir.Context) (*mlir.Module, mlir.Block) {
	t.Helper()
	m, err := c.Parse("", []byte("func.func @f(%x: i32) { return }"))
	check.NoError(t, err)
	for f := range m.Body().Operations() {
		block := f.Region(0).First()
		check.NoError(t, block.Terminator().Erase())
		return m, block
	}
	t.Fatal("the module has no function")
	return nil, mlir.Block{}
}

func TestBlockCreate(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		m, block := emptyFunction(t, c)
		x := block.Argument(0)
		for _, name := range []string{"arith.addi", "arith.muli"} {
			op, err := mlir.Create(block, mlir.OperationState{
				Name: name, Operands: []mlir.Value{x, x}, Results: []mlir.Type{x.Type()},
				Location: c.FileLocation("a.go", 1, 2),
			})
			check.NoError(t, err)
			if !op.Block().Equal(block) {
				t.Errorf("%s is in %v", name, op.Block())
			}
			x = op.Result(0)
		}
		if _, err := mlir.Create(block, mlir.OperationState{Name: "func.return"}); err != nil {
			t.Fatal(err)
		}
		check.Report(t, m.Verify())
		var got []string
		for op := range block.Operations() {
			got = append(got, op.Name())
		}
		if diff := cmp.Diff([]string{"arith.addi", "arith.muli", "func.return"}, got); diff != "" {
			t.Errorf("the block (-want +got):\n%s", diff)
		}

		detached, err := mlir.Create(c, mlir.OperationState{Name: "func.return"})
		check.NoError(t, err)
		if !detached.Block().IsNil() {
			t.Error("created without a block, it is in one")
		}
		block.Append(detached)
		if !block.Terminator().Equal(detached) {
			t.Error("Append did not put it at the end")
		}
		check.Panics(t, "is in a block already", func() { block.Append(detached) })
	})
}

// TestCreateRefused checks that an operation that is refused leaves the block unchanged.
func TestCreateRefused(t *testing.T) {
	c := mlirtest.Context(t)
	m, block := emptyFunction(t, c)
	x := block.Argument(0)
	other := mlirtest.Context(t)
	_, foreign := emptyFunction(t, other)

	_, err := mlir.Create(block, mlir.OperationState{Name: "arith.no_such"})
	check.Error(t, err, `does not know the operation "arith.no_such"`)
	_, err = mlir.Create(block,
		mlir.OperationState{Name: "torch.aten.tanh", Operands: []mlir.Value{x}, InferResults: true})
	check.Error(t, err, "AllowInference was not called for it: set Results")
	mlir.AllowInference("math.fma", mlir.Inference{Operands: 2, Attributes: []string{"a"}, Regions: 1})
	for _, test := range []struct {
		state mlir.OperationState
		want  string
	}{
		{mlir.OperationState{}, "takes 2 operands, but 0 are given"},
		{mlir.OperationState{Operands: []mlir.Value{x, x}}, "takes 1 regions, but 0 are given"},
	} {
		test.state.Name, test.state.InferResults = "math.fma", true
		if _, err := mlir.Create(block, test.state); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("want %q, got %v", test.want, err)
		}
	}
	check.Panics(t, "a value of another context", func() {
		_, _ = mlir.Create(block, mlir.OperationState{Name: "func.return", Operands: []mlir.Value{foreign.Argument(0)}})
	})
	check.Panics(t, "a type of another context", func() {
		_, _ = mlir.Create(block,
			mlir.OperationState{Name: "func.return", Results: []mlir.Type{foreign.Argument(0).Type()}})
	})
	check.Panics(t, "given an invalid insertion point",
		func() { _, _ = mlir.Create(nil, mlir.OperationState{Name: "func.return"}) })
	check.Panics(t, "given an invalid insertion point", func() { mlir.ContextOf(nil) })
	check.Panics(t, "was given a block that is nil",
		func() { _, _ = mlir.Create(mlir.Block{}, mlir.OperationState{Name: "func.return"}) })
	check.Panics(t, "was given a block that is nil",
		func() { _, _ = mlir.Create(m.Operation().Block(), mlir.OperationState{Name: "func.return"}) })
	for op := range block.Operations() {
		t.Errorf("the block holds %s", op)
	}
	m.Close()
	check.Panics(t, "after Module.Close",
		func() { _, _ = mlir.Create(block, mlir.OperationState{Name: "func.return"}) })
	check.Diff(t, "is its context", true, mlir.ContextOf(block) == c)
	c.Close()
	check.Panics(t, "ContextOf called after Context.Close", func() { mlir.ContextOf(block) })
}

// TestInferenceFails checks that diagnostics of the type inference are in the error, and
// not in that of the next operation.
func TestInferenceFails(t *testing.T) {
	c := mlirtest.Context(t)
	_, block := emptyFunction(t, c)
	mlir.AllowInference("stablehlo.add", mlir.Inference{Operands: 2})
	region := mlir.OperationState{Name: "stablehlo.add", InferResults: true}
	for _, text := range []string{"tensor<2xf32>", "tensor<3xf32>"} {
		typ, err := c.ParseType(text)
		check.NoError(t, err)
		region.Operands = append(region.Operands, c.NewBlock(mlir.Location{}, typ).Argument(0))
	}
	_, err := mlir.Create(block, region)
	var diagnostics *mlir.DiagnosticError
	if !errors.As(err, &diagnostics) || len(diagnostics.Diagnostics) == 0 {
		t.Errorf("inference of shapes that disagree: %v", err)
	}
	if _, err := mlir.Create(block, mlir.OperationState{Name: "func.return"}); err != nil {
		t.Error(err)
	}
	if got := block.Terminator().NumOperands(); got != 0 {
		t.Errorf("the return has %d operands, which were the last operation's", got)
	}
}

// TestCreateAllocates checks that creating an operation does not allocate in Go, even with
// attributes, once their names are known.
func TestCreateAllocates(t *testing.T) {
	c := mlirtest.Context(t)
	_, block := emptyFunction(t, c)
	x, unit := block.Argument(0), c.UnitAttribute()
	i32 := x.Type()
	allocations := testing.AllocsPerRun(100, func() {
		op, err := mlir.Create(block, mlir.OperationState{
			Name: "arith.addi", Location: c.FileLocation("a.go", 3, 4),
			Operands: []mlir.Value{x, x}, Results: []mlir.Type{i32},
			Attributes: []mlir.NamedAttribute{{Name: "mark", Value: unit}},
		})
		check.NoError(t, err)
		x = op.Result(0)
	})
	if allocations != 0 {
		t.Errorf("an operation costs %v allocations", allocations)
	}
}

// TestFileLocations creates locations that share an entry of the cache.
func TestFileLocations(t *testing.T) {
	c := mlirtest.Context(t)
	for range 2 {
		for _, want := range []mlir.Position{
			{File: "a.go", Line: 1, Column: 1},
			{File: "a.go", Line: 1025, Column: 1},
			{File: "b.go", Line: 1, Column: 1},
			{File: "a.go", Line: 1 ^ 8, Column: 0},
			{File: "a.go", Line: 1, Column: 1 + 1<<20},
		} {
			if got := c.FileLocation(want.File, want.Line, want.Column).Position(); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		}
	}
	if a, b := c.FileLocation("a.go", 7, 7), c.FileLocation("a.go", 7, 7); a != b {
		t.Error("one place gave two locations")
	}
	if got := c.FileLocation("a.go", -1, -1).String(); got != `loc("a.go":0:0)` {
		t.Errorf("a place that is not known is %s", got)
	}
}
