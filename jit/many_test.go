package jit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// commas returns n texts.
func commas(n int, text func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = text(i)
	}
	return strings.Join(parts, ", ")
}

// compileSoon compiles a module that took minutes when the time grew with the cube of the operands.
func compileSoon(t *testing.T, text string) *jit.Executable {
	t.Helper()
	start := time.Now()
	e := compile(t, text)
	if took := time.Since(start); took > time.Minute {
		t.Errorf("the compile took %v", took)
	}
	return e
}

// TestCallOfMany passes many arrays to a callback that changes some in place, which are used afterwards.
func TestCallOfMany(t *testing.T) {
	const n = 60
	register(t, "jit.many", func(f *callbacks.Frame) error {
		for i, r := range f.Results {
			from, err := tensor.Slice[float32](f.Args[i])
			if err != nil {
				return err
			}
			to, err := tensor.Slice[float32](r)
			if err != nil {
				return err
			}
			for k := range to {
				to[k] = from[k] + 1
			}
		}
		return nil
	}, callbacks.Options{})
	typ := func(int) string { return "tensor<2xf32>" }
	for _, form := range []string{"call", "passthrough"} {
		target := map[string]string{"call": "calliope_callback", "passthrough": "calliope_io_callback"}[form]
		aliases := ""
		if form == "passthrough" {
			aliases = `, output_operand_aliases = [` + commas(n, func(i int) string {
				return fmt.Sprintf("#stablehlo.output_operand_alias<output_tuple_indices = [%d], operand_index = %d, "+
					"operand_tuple_indices = []>", i, i)
			}) + "]"
		}
		text := fmt.Sprintf(`func.func @main(%s) -> (tensor<%dxf32>, %s) {
`, commas(n, func(i int) string { return fmt.Sprintf("%%x%d: tensor<2xf32>", i) }), 2*n, commas(n, typ))
		for i := range n {
			text += fmt.Sprintf("%%y%d = stablehlo.add %%x%[1]d, %%x%[1]d : tensor<2xf32>\n", i)
		}
		args := commas(n, func(i int) string { return fmt.Sprintf("%%y%d", i) })
		text += fmt.Sprintf(`%%r:%d = stablehlo.custom_call @%s(%s) {api_version = 4 : i32, has_side_effect = true,
	backend_config = {callback = "jit.many", form = %q, v = 1 : i64}%s} : (%s) -> (%[6]s)
%%c = stablehlo.concatenate %[3]s, dim = 0 : (%[6]s) -> tensor<%[7]dxf32>
return %%c, %[8]s : tensor<%[7]dxf32>, %[6]s }`, n, target, args, form, aliases, commas(n, typ), 2*n,
			commas(n, func(i int) string { return fmt.Sprintf("%%r#%d", i) }))
		e := compileSoon(t, text)
		var in []tensor.View
		for i := range n {
			in = append(in, tensor.Vector(float32(i), float32(-i)))
		}
		got, err := e.Call(t.Context(), in...)
		check.NoError(t, err)
		var joined []float32
		for i := range n {
			joined = append(joined, float32(2*i), float32(-2*i))
			check.Diff(t, fmt.Sprint(form, " result ", i), tensor.Vector(float32(2*i+1), float32(-2*i+1)), got[i+1])
		}
		check.Diff(t, form+" concatenate", tensor.Vector(joined...), got[0])
	}
}

// TestConcatenateMany joins many arrays of different sizes in an inner dimension.
func TestConcatenateMany(t *testing.T) {
	const n = 150
	typ := func(i int) string { return fmt.Sprintf("tensor<2x%dxui8>", i%3) }
	text := fmt.Sprintf(`func.func @main(%s) -> tensor<2x%dxui8> {
%%0 = stablehlo.concatenate %s, dim = 1 : (%s) -> tensor<2x%[2]dxui8>
return %%0 : tensor<2x%[2]dxui8> }`, commas(n, func(i int) string { return fmt.Sprintf("%%x%d: %s", i, typ(i)) }), n,
		commas(n, func(i int) string { return fmt.Sprintf("%%x%d", i) }), commas(n, typ))
	var in []tensor.View
	want := tensor.View{Shape: tensor.ShapeOf(tensor.U8, 2, n)}
	var rows [2][]byte
	for i := range n {
		v := tensor.View{Shape: tensor.ShapeOf(tensor.U8, 2, i%3), Data: []byte{}}
		for r := range rows {
			for k := range i % 3 {
				b := byte(i + 100*r + 50*k)
				v.Data, rows[r] = append(v.Data, b), append(rows[r], b)
			}
		}
		in = append(in, v)
	}
	want.Data = append(rows[0], rows[1]...)
	got, err := compileSoon(t, text).Call(t.Context(), in...)
	check.NoError(t, err)
	check.Diff(t, "result", want, got[0])
}
