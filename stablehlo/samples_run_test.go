package stablehlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// eachStableHLO runs a test in a new context of every engine that has the dialect.
func eachStableHLO(t *testing.T, test func(t *testing.T, c *mlir.Context)) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if c.LoadDialect("stablehlo") == nil {
			if err := LoadQuant(c); err != nil {
				t.Fatal(err)
			}
			test(t, c)
		}
	})
}

// TestEveryOperation makes each operation from its struct, prints it and parses it.
func TestEveryOperation(t *testing.T) {
	eachStableHLO(t, func(t *testing.T, c *mlir.Context) {
		for _, s := range samples {
			t.Run(s.Name, func(t *testing.T) { s.RoundTrip(t, c) })
		}
	})
}

// TestElementwise prints and parses each elementwise operation, with and without its
// optional parts.
func TestElementwise(t *testing.T) {
	tight := &ResultAccuracy{Ulps: 2, Mode: AccuracyTolerance}
	eachStableHLO(t, func(t *testing.T, c *mlir.Context) {
		for _, test := range unaryOps {
			for _, accuracy := range []*ResultAccuracy{nil, tight} {
				s := of(test.name, types{"tensor<2x" + test.element + ">"}, func(b *body) mlirtest.Made {
					return mlirtest.Of(Unary{Op: test.op, Operand: b.In[0], ResultAccuracy: accuracy}, AsUnary)
				})
				if accuracy == nil || accurate[s.Name] {
					s.RoundTrip(t, c)
					continue
				}
				_, _, _, err := s.Module(c)
				check.Error(t, err, "stablehlo: "+test.name+" takes no result accuracy")
			}
		}
		for _, test := range binaryOps {
			typ := "tensor<2x" + test.element + ">"
			of(test.name, types{typ, typ}, func(b *body) mlirtest.Made {
				return mlirtest.Of(Binary{Op: test.op, LHS: b.In[0], RHS: b.In[1]}, AsBinary)
			}).RoundTrip(t, c)
		}
	})
}

// TestSamplesAreComplete checks that every operation of the dialect has a sample or its own
// test.
func TestSamplesAreComplete(t *testing.T) {
	others := []string{"stablehlo.constant", "stablehlo.custom_call", "stablehlo.return"}
	for _, test := range unaryOps {
		others = append(others, string(test.op))
	}
	for _, test := range binaryOps {
		others = append(others, string(test.op))
	}
	mlirtest.Complete(t, operationNames, samples, others...)
}

// TestReturn reads the terminator of a region, and makes one.
func TestReturn(t *testing.T) {
	c := mlirtest.Context(t)
	in := values(t, c, "tensor<f32>", "tensor<i32>")
	op, err := Return{Results: in}.Create(c, mlir.Location{})
	if err != nil {
		t.Fatal(err)
	}
	read, ok := AsReturn(op)
	if !ok || len(read.Results) != 2 || !read.Results[0].Equal(in[0]) || !read.Results[1].Equal(in[1]) {
		t.Errorf("%v is read, %v", read, ok)
	}
	empty, err := Return{}.Create(c, mlir.Location{})
	if err != nil {
		t.Fatal(err)
	}
	if read, ok := AsReturn(empty); !ok || len(read.Results) != 0 {
		t.Errorf("%v is read, %v", read, ok)
	}
}
