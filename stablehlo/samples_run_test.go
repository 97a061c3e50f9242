package stablehlo

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// eachStableHLO runs a test in a new context of every engine that has the dialect.
func eachStableHLO(t *testing.T, test func(t *testing.T, c *mlir.Context)) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if c.LoadDialect("stablehlo") == nil {
			check.NoError(t, LoadQuant(c))
			test(t, c)
		}
	})
}

// TestEveryOperation makes each operation from its struct, prints it and parses it.
func TestEveryOperation(t *testing.T) {
	check.NoRaces(t)
	eachStableHLO(t, func(t *testing.T, c *mlir.Context) {
		for _, s := range samples {
			t.Run(s.Name, func(t *testing.T) { s.RoundTrip(t, c) })
		}
	})
}

// TestElementwise rebuilds each elementwise operation, with and without its optional part.
func TestElementwise(t *testing.T) {
	tight := ResultAccuracy{Ulps: 2, Mode: AccuracyTolerance}
	eachStableHLO(t, func(t *testing.T, c *mlir.Context) {
		rebuild := func(name, element string, read mlirtest.Reader,
			create func(b *mlir.Builder, in []mlir.Value) mlir.Value) {
			in := values(t, c, "tensor<2x"+element+">", "tensor<2x"+element+">")
			b := mlir.NewBuilder(in[0].Block(), mlir.Location{})
			op := create(b, in).Owner()
			check.NoError(t, b.Err())
			check.Diff(t, "name", dialect+name, op.Name())
			v, ok := read(op)
			again := reflect.New(reflect.TypeOf(v)).Elem()
			again.Set(reflect.ValueOf(v))
			if f := again.FieldByName("ResultAccuracy"); f.IsValid() {
				f.Set(reflect.ValueOf(&tight))
			}
			copied := again.Interface().(mlirtest.Operation).Create(b)
			check.NoError(t, b.Err())
			check.NoError(t, copied.Verify())
			read2, ok2 := read(copied)
			if !ok || !ok2 || !reflect.DeepEqual(read2, again.Interface()) {
				t.Errorf("%s: read %v, %v, want %v", name, read2, ok && ok2, again)
			}
		}
		for _, test := range unaryOps {
			rebuild(test.name, test.element, test.read,
				func(b *mlir.Builder, in []mlir.Value) mlir.Value { return test.create(b, in[0]) })
		}
		for _, test := range binaryOps {
			rebuild(test.name, test.element, test.read,
				func(b *mlir.Builder, in []mlir.Value) mlir.Value { return test.create(b, in[0], in[1]) })
		}
	})
}

// TestSamplesAreComplete checks that every operation of the dialect has a sample or its own
// test.
func TestSamplesAreComplete(t *testing.T) {
	others := []string{"stablehlo.constant", "stablehlo.custom_call", "stablehlo.return"}
	mlirtest.Complete(t, operationNames, samples, slices.AppendSeq(others, maps.Keys(elementwise))...)
}

// TestReturn reads the terminator of a region, and makes one.
func TestReturn(t *testing.T) {
	c := mlirtest.Context(t)
	in := values(t, c, "tensor<f32>", "tensor<i32>")
	op, err := mlirtest.Create(c, ReturnOp{Results: in})
	check.NoError(t, err)
	read, ok := AsReturn(op)
	if !ok || len(read.Results) != 2 || !read.Results[0].Equal(in[0]) || !read.Results[1].Equal(in[1]) {
		t.Errorf("%v is read, %v", read, ok)
	}
	empty, err := mlirtest.Create(c, ReturnOp{})
	check.NoError(t, err)
	if read, ok := AsReturn(empty); !ok || len(read.Results) != 0 {
		t.Errorf("%v is read, %v", read, ok)
	}
}
