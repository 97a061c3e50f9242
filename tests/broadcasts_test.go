package tests

import (
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stages"
)

// TestBroadcastsOfWrongTypes holds that all engines refuse them with the place. The library makes an invalid operation
// of the first one, and ends the process on the others.
func TestBroadcastsOfWrongTypes(t *testing.T) {
	client := newClient(t, 0)
	for _, test := range []struct{ name, element, want string }{
		{"subtract", "i1", "it takes integers of 2 bits or more, and floating-point and complex numbers, not tensor<2xi1>"},
		{"polygamma", "i8", "it takes floating-point numbers, not tensor<2xi8>"},
		{"next_after", "complex<f32>", "it takes floating-point numbers, not tensor<2xcomplex<f32>>"},
	} {
		of := "tensor<2x" + test.element + ">"
		m, err := newContext(t).Parse("test.mlir", []byte("func.func @main(%x: "+of+") -> "+of+" {\n"+
			`%0 = "chlo.broadcast_`+test.name+`"(%x, %x) : (`+of+", "+of+") -> "+of+"\nreturn %0 : "+of+"\n}"))
		check.NoError(t, err)
		check.Cleanup(t, m)
		want := "test.mlir:2:6: chlo.broadcast_" + test.name + ": " + test.want + ": convert the operands first"
		for _, program := range []engine.Program{passes.Program(m, passes.PrepareOptions{}), stablehlo.Unprepared(m)} {
			_, err := client.Compile(t.Context(), program, engine.CompileOptions{})
			check.Error(t, err, want)
		}
		_, err = jit.Compile(t.Context(), m, jit.Options{})
		check.Error(t, err, want)
		for _, d := range []stages.Device{stages.JIT(), stages.Interpreter()} {
			_, err := stages.Compile(t.Context(), m, stages.Options{Devices: []stages.Device{d}})
			check.Error(t, err, want)
		}
	}
}
