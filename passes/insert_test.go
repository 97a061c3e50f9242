package passes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

func everything(mlir.Value) bool { return true }

var spec = passes.TapOptions{Config: contract.Config{Callback: "see"}}

// TestInsertTap inserts taps into programs that were built without them: the module has each
// tap that a builder would create, and StripTaps removes them again.
func TestInsertTap(t *testing.T) {
	for _, p := range programs {
		for _, unordered := range []bool{false, true} {
			t.Run(fmt.Sprint(p.name, " unordered=", unordered), func(t *testing.T) {
				m := build(t, p.build, false)
				before := m.String()
				s := spec
				s.Unordered = unordered
				inserted, err := passes.InsertTap(m, everything, s)
				if err != nil {
					t.Fatalf("%v\n%s", err, m)
				}
				after := m.String()
				n := 0
				for call := range callop.Calls(m) {
					if call.Err != nil {
						t.Error(call.Err)
					}
					if call.Config.Form == contract.Observe {
						n++
					}
				}
				if n != inserted || n < 3 {
					t.Errorf("%d taps, but InsertTap returned %d", n, inserted)
				}
				if unordered && strings.Contains(after, "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1") {
					t.Error("an unordered tap has a token")
				}
				stripped, err := passes.StripTaps(m, nil)
				if err != nil {
					t.Fatalf("%v\n%s", err, after)
				}
				if stripped != inserted {
					t.Errorf("%d of %d taps were stripped", stripped, inserted)
				}
				if diff := cmp.Diff(before, m.String()); diff != "" {
					t.Errorf("inserted and stripped (-want +got):\n%s\n%s", diff, after)
				}
			})
		}
	}
}

// TestInsertTapCorpus taps every value of real modules, and strips the taps again.
func TestInsertTapCorpus(t *testing.T) {
	files, err := filepath.Glob("../tests/testdata/modules/*.mlir*")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	taps := 0
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "bad_") {
			continue
		}
		data, err := os.ReadFile(file)
		check.NoError(t, err)
		t.Run(filepath.Base(file), func(t *testing.T) {
			c := mlirtest.Context(t)
			m, err := c.Parse(file, data)
			if err != nil {
				return // what the default library cannot parse is tested elsewhere
			}
			defer m.Close()
			before := m.String()
			inserted, err := passes.InsertTap(m, everything, spec)
			check.NoError(t, err)
			taps += inserted
			text := m.String()
			stripped, err := passes.StripTaps(m, func(c callop.Call) bool { return c.Config.Callback == "see" })
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if stripped != inserted {
				t.Errorf("%d of %d taps were stripped", stripped, inserted)
			}
			if diff := cmp.Diff(before, m.String()); diff != "" {
				t.Errorf("inserted and stripped (-want +got):\n%s", diff)
			}
		})
	}
	if taps < 1000 {
		t.Errorf("only %d taps were inserted in the whole corpus", taps)
	}
}

// TestInsertTapText checks the text of a module in which the token passes through everything.
func TestInsertTapText(t *testing.T) {
	m, err := mlirtest.Context(t).Parse("m.mlir", []byte(`
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %r:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %w = func.call @step(%v) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
func.func private @step(%x: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "x"}) {
  %y = stablehlo.cosine %x : tensor<4xf32>
  return %y : tensor<4xf32>
}`))
	check.NoError(t, err)
	defer m.Close()
	n, err := passes.InsertTap(m, passes.ByOp("stablehlo.cosine"), passes.TapOptions{Config: contract.Config{ID: 7}})
	if n != 1 || err != nil {
		t.Fatal(n, err)
	}
	want := `module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<1xi8>
    %0:3 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0, %iterArg_1 = %c) : tensor<i32>, tensor<4xf32>, tensor<1xi8>
    cond {
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.compare GT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.subtract %iterArg, %c_2 : tensor<i32>
      %2:2 = func.call @step(%iterArg_0, %iterArg_1) : (tensor<4xf32>, tensor<1xi8>) -> (tensor<4xf32>, tensor<1xi8>)
      stablehlo.return %1, %2#0, %2#1 : tensor<i32>, tensor<4xf32>, tensor<1xi8>
    }
    return %0#1 : tensor<4xf32>
  }
  func.func private @step(%arg0: tensor<4xf32>, %arg1: tensor<1xi8>) -> (tensor<4xf32> {jax.result_info = "x"}, tensor<1xi8>) {
    %0 = stablehlo.cosine %arg0 : tensor<4xf32>
    %1 = stablehlo.custom_call @calliope_io_callback(%0, %arg1) {api_version = 4 : i32, backend_config = {callback_id = 7 : i64, form = "observe", loc = "m.mlir:16", n_tokens = 1 : i64, v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<1xi8>) -> tensor<1xi8>
    return %0, %1 : tensor<4xf32>, tensor<1xi8>
  }
}
`
	if diff := cmp.Diff(want, m.String()); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

// TestInsertTapWhere checks which values are tapped: none in bodies in which no callback can run.
func TestInsertTapWhere(t *testing.T) {
	const text = `
func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %c = func.call @add(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>
  } loc("jit(f)/sum")
  %top:2 = stablehlo.custom_call @ApproxTopK(%x, %x, %zero, %zero) {called_computations = [@compare]} :
    (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %s : tensor<f32>
}
func.func private @compare(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<f32>, %q: tensor<f32>) -> tensor<i1> {
  %c = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %c : tensor<i1>
}
func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.add %a, %b : tensor<f32>
  return %c : tensor<f32>
}`
	for _, test := range []struct {
		name  string
		after func(mlir.Value) bool
		want  int
	}{
		{"everything", everything, 5}, // x, zero, s, top
		{"nothing", func(mlir.Value) bool { return false }, 0},
		{"in the reducer", passes.ByOp("stablehlo.add"), 0},
		{"in a function of a custom call", passes.ByOp("stablehlo.compare"), 0},
		{"by name", passes.ByOp("stablehlo.reduce", "stablehlo.add"), 1},
		{"by location", passes.ByLocation("jit(f)/sum"), 1},
		{"by another location", passes.ByLocation("jit(g)"), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := mlirtest.Context(t).Parse("", []byte(text))
			check.NoError(t, err)
			defer m.Close()
			before := m.String()
			n, err := passes.InsertTap(m, test.after, spec)
			if n != test.want || err != nil {
				t.Errorf("%d taps, want %d: %v", n, test.want, err)
			}
			if n == 0 && m.String() != before {
				t.Error("the module was changed")
			}
		})
	}
}

func TestInsertTapMistakes(t *testing.T) {
	m, err := mlirtest.Context(t).Parse("", []byte("func.func @main(%x: tensor<4xf32>) { return }"))
	check.NoError(t, err)
	defer m.Close()
	if _, err := passes.InsertTap(m, nil, passes.TapOptions{Config: contract.Config{Callback: "f"}}); err == nil ||
		!strings.Contains(err.Error(), "ByOp") {
		t.Errorf("without values: %v", err)
	}
	for _, test := range []struct {
		spec passes.TapOptions
		want string
	}{
		{passes.TapOptions{}, "a callback needs a name"},
		{passes.TapOptions{Config: contract.Config{Callback: "f", ID: 1}}, "it is bound by one of them"},
		{passes.TapOptions{Config: contract.Config{Callback: "f", Effect: "io"}, Unordered: true},
			"cannot have an effect"},
		{passes.TapOptions{Config: contract.Config{Host: contract.Host{Opaque: "f", Encoding: contract.EncodingWords}}},
			"holds an id and nothing else"},
	} {
		n, err := passes.InsertTap(m, everything, test.spec)
		if n != 0 || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d taps and the error %v, want one that says %q", n, err, test.want)
		}
	}
}
