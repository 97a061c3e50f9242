package gomlx

import (
	"errors"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/backendtest"
	"github.com/gomlx/compute/support/testutil"

	"github.com/calliope-mlir/calliope/bridge"
)

// TestInterpreter holds the interpreter to the suite of GoMLX, without what would take it minutes, and without
// TestConvGeneral: it aborts its process in convolutions whose result has another order of axes.
func TestInterpreter(t *testing.T) {
	b := open(t, "interpreter,dynamic")
	backendtest.TestBinaryOps(t, b)
	backendtest.TestUnaryOps(t, b)
	backendtest.TestConvertDType(t, b)
	backendtest.TestBitcast(t, b)
	backendtest.TestFunctions(t, b)
	backendtest.TestSpecialOps(t, b)
	backendtest.TestBarriers(t, b)
}

// TestJIT holds package jit to the suite of GoMLX.
func TestJIT(t *testing.T) { backendtest.RunAll(t, open(t, "jit,dynamic"), nil) }

// TestInterpreterBuffers uses buffers of the interpreter wrongly.
func TestInterpreterBuffers(t *testing.T) {
	b := open(t, "interpreter")
	shape := shapes.Make(dtypes.Float32, 2)
	e := reversal(t, b, shape)
	in := testutil.Must1(b.BufferFromFlatData(0, []float32{1, 2}, shape))
	if _, err := e.Execute([]compute.Buffer{in}, []bool{true}, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Execute([]compute.Buffer{in}, nil, 0); !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("Execute with a donated buffer returned %v", err)
	}
	if err := in.ToFlatData(make([]float32, 2)); !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("ToFlatData of a donated buffer returned %v", err)
	}
	foreign := testutil.Must1(open(t, "").BufferFromFlatData(0, []float32{1, 2}, shape))
	_, err := e.Execute([]compute.Buffer{foreign}, nil, 0)
	holds(t, "a buffer of the plugin", err, "another backend")
	_, err = b.BufferFromFlatData(1, []float32{1, 2}, shape)
	holds(t, "a second device", err, "the host's memory is device 0")
	_, err = b.BufferFromFlatData(0, []float32{1}, shape)
	holds(t, "too few elements", err, "4 bytes")
	_, err = b.Load(nil)
	holds(t, "load", err, "no plugin")
	_, err = Save(e)
	holds(t, "save", err, "no plugin")
	b.Finalize()
	if _, err := b.BufferFromFlatData(0, []float32{1, 2}, shape); !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("BufferFromFlatData of a finalized backend returned %v", err)
	}
}
