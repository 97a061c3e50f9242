package mlir_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestIndex(t *testing.T) {
	c := mlirtest.Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
	check.Cleanup(t, c)
	for _, test := range []struct{ name, text string }{
		{"empty", ""},
		{"nested", `func.func @f(%a: tensor<i1>) -> tensor<i1> {
  %0 = stablehlo.while(%b = %a) : tensor<i1> cond { stablehlo.return %b : tensor<i1> } do {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = "stablehlo.case"(%c) ({ stablehlo.return %b : tensor<i1> }, { stablehlo.return %a : tensor<i1> }) : (tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }
  return %0 : tensor<i1>
}`},
		{"blocks", `func.func private @g()
func.func @f() { "cf.br"()[^bb1] : () -> () ^bb1: "cf.br"()[^bb2] : () -> () ^bb2: return }
module { module {} }
func.func private @h()`},
		{"empty regions",
			`"x.a"() ({}, {^bb0: "x.b"() ({}, {}) : () -> () ^bb1: "x.c"() : () -> ()}, {}, {"x.d"() : () -> ()}, {}) : () -> ()
"x.e"() : () -> ()`},
		{"many", strings.Repeat("module {}\n", 1000)},
		{"deep", strings.Repeat("module {", 5000) + strings.Repeat("}", 5000)},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, c, test.text)
			roots := slices.Collect(m.Operation().All())
			for _, root := range roots[:min(20, len(roots))] {
				agrees(t, root)
			}
		})
	}
}

// agrees compares an index with a walk.
func agrees(t *testing.T, root mlir.Operation) {
	t.Helper()
	var all, indexed []mlir.Operation
	byName := map[string][]mlir.Operation{}
	for op := range root.All() {
		all = append(all, op)
		byName[op.Name()] = append(byName[op.Name()], op)
	}
	x := root.Index()
	if got, want := slices.Sorted(x.Names()), slices.Sorted(maps.Keys(byName)); !slices.Equal(got, want) {
		t.Errorf("got the names %v, want %v", got, want)
	}
	for i, op := range x.All() {
		check.Diff(t, "number", len(indexed), i)
		indexed = append(indexed, op)
	}
	if !slices.Equal(all, indexed) {
		t.Errorf("the index has %d operations, or others than the %d of the walk", len(indexed), len(all))
	}
	for name, want := range byName {
		if got := slices.Collect(x.Named("no.such", name)); !slices.Equal(want, got) {
			t.Errorf("%s: %d operations, want %d", name, len(got), len(want))
		}
	}
}

func TestIndexErased(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, "module @a {module @b {}} module @c {}")
	x := m.Operation().Index()
	var seen []string
	for op := range x.Named("builtin.module") {
		name, _ := op.Symbol()
		seen = append(seen, name)
		if name == "a" {
			check.NoError(t, op.Erase())
		}
	}
	check.Diff(t, "seen", []string{"", "a", "c"}, seen)
}
