package mlir_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestPrintOptions(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, `
#map = affine_map<(d0) -> (d0 + 1)>
module {
  %0 = "t.make"() {big = dense<[1, 2, 3, 4, 5]> : tensor<5xi8>, m = #map, r = dense_resource<blob> : tensor<4xi8>} : () -> i32 loc("value"("f.py":1:2))
  "t.outer"(%0) ({ "t.leaf"() : () -> () }) : (i32) -> ()
}
{-# dialect_resources: { builtin: { blob: "0x0100000001020304" } } #-}`)
		tests := []struct {
			name       string
			options    mlir.PrintOptions
			has, hasNo []string
		}{
			{"plain", mlir.PrintOptions{}, []string{"[1, 2, 3, 4, 5]", "#map = affine_map", "0x0100000001020304",
				`"t.leaf"`}, []string{"loc(", "%value"}},
			{"generic", mlir.PrintOptions{Generic: true}, []string{`"builtin.module"`}, nil},
			{"locations", mlir.PrintOptions{DebugInfo: true}, []string{"loc(#loc"}, nil},
			{"pretty", mlir.PrintOptions{PrettyInfo: true}, []string{"() : () -> () test.mlir:5:20"},
				[]string{"loc(#loc"}},
			{"local", mlir.PrintOptions{LocalScope: true}, []string{"m = affine_map<"}, []string{"#map"}},
			{"no regions", mlir.PrintOptions{SkipRegions: true}, []string{"module"}, []string{"t.leaf"}},
			{"names", mlir.PrintOptions{NameLocations: true}, []string{"%value = "}, []string{"%0"}},
			{"elided", mlir.PrintOptions{ElideAbove: 4}, []string{"dense_resource<__elided__>"}, []string{"[1, 2"}},
			{"elided resources", mlir.PrintOptions{ElideResources: 4}, []string{"[1, 2"},
				[]string{"0x0100000001020304"}},
			{"verified", mlir.PrintOptions{AssumeVerified: true}, []string{`"t.leaf"`}, nil},
		}
		for _, test := range tests {
			text := m.Operation().Print(test.options)
			for _, want := range test.has {
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %q in\n%s", test.name, want, text)
				}
			}
			for _, not := range test.hasNo {
				if strings.Contains(text, not) {
					t.Errorf("%s: %q is in\n%s", test.name, not, text)
				}
			}
		}
		if got := op(m, "t.outer").Region(0).First().String(); !strings.Contains(got, "t.leaf") {
			t.Errorf("the block prints as %q", got)
		}
	})
}

func TestAsmState(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, nested)
		state, err := m.Operation().NewAsmState(mlir.PrintOptions{})
		check.NoError(t, err)
		inner := op(m, "t.inner")
		check.Diff(t, "values", []string{"%0", "%arg0", "%1"},
			[]string{state.Name(op(m, "t.make").Result(0)), state.Name(inner.Operand(1)), state.Name(inner.Result(0))})
		check.Diff(t, "operation", `%1 = "t.inner"(%0, %arg0) : (i32, i32) -> i32`, state.Print(inner))
		check.Panics(t, "of another context",
			func() { state.Print(mlirtest.Parse(t, loose(t, e), nested).Operation()) })
		state.Close()
		state.Close()
		check.Panics(t, "called after AsmState.Close", func() { state.Print(inner) })
		check.Diff(t, "name", true, inner.Result(0).Name(mlir.PrintOptions{}) != "")
		// The library does not number values that are in no operation.
		check.Diff(t, "detached argument", "<<detached block argument>>",
			c.NewBlock(mlir.Location{}, c.IndexType()).Argument(0).Name(mlir.PrintOptions{}))
		loose := create(t, c, mlir.OperationState{Name: "t.x", Results: []mlir.Type{c.IndexType()}})
		check.Diff(t, "detached result", "%0", loose.Result(0).Name(mlir.PrintOptions{}))
		late, _ := m.Operation().NewAsmState(mlir.PrintOptions{})
		m.Close()
		check.Panics(t, "called after Module.Close", func() { late.Print(m.Operation()) })
		late.Close()
	})
}

func TestBytecodeVersions(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, nested)
		latest, err := m.Bytecode()
		check.NoError(t, err)
		old, err := m.Operation().BytecodeVersion(1)
		check.NoError(t, err)
		check.Diff(t, "version bytes", []any{byte(1), true, false},
			[]any{old[4] >> 1, latest[4]>>1 > 1, bytes.Equal(old, latest)})
		for _, data := range [][]byte{latest, old} {
			check.Diff(t, "read again", m.String(), mlirtest.Parse(t, c, string(data)).String())
		}
		if _, err := m.Operation().BytecodeVersion(1000); err == nil {
			t.Error("version 1000 was written")
		}
	})
}

// TestBytecodeAlone writes operations whose values are used outside, and some that use values
// from outside, as bytecode. The library would crash on both.
func TestBytecodeAlone(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		m := mlirtest.Parse(t, c, `func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}`)
		want := check.Must(m.Bytecode())
		add := mlirtest.Find(m, "arith.addi")[0]
		copied := add.Clone()
		check.Diff(t, "the bytecode with a copy outside", want, check.Must(m.Bytecode()))
		check.NoError(t, copied.Erase())
		for _, name := range []string{"arith.addi", "func.return"} {
			_, err := mlirtest.Find(m, name)[0].Bytecode()
			check.Error(t, err,
				name+" cannot be written as bytecode alone, because "+name+" in it uses something outside")
		}
		f := check.Must(mlirtest.Find(m, "func.func")[0].Bytecode())
		check.Diff(t, "the bytecode of a function", m.String(), check.Must(c.Parse("", f)).String())
	})
}
