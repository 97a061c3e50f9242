package load

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
)

// FormOf returns the form of calls in a way of dispatch that a loop makes: queued ones return nothing.
func FormOf(way callbacks.Dispatch) contract.Form {
	if way == callbacks.Async {
		return contract.Observe
	}
	return contract.Passthrough
}

// Main returns a module.
func Main(params, results, body string) string {
	return "func.func @main(" + params + ") -> (" + results + ") {\n" + body + "\n}"
}

// Loop returns the text of a loop of %n iterations, and returns its result. The body makes %w of %v.
func Loop(typ, start, body string) string {
	return fmt.Sprintf(`  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %%r:2 = stablehlo.while(%%i = %%zero, %%v = %[2]s) : tensor<i32>, %[1]s
    cond { %%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%p : tensor<i1> }
    do { %[3]s
      %%j = stablehlo.add %%i, %%one : tensor<i32>
      stablehlo.return %%j, %%w : tensor<i32>, %[1]s }
  return %%r#1 : %[1]s`, typ, start, body)
}

// Counting returns a module that makes calls in a loop, whose number is the second argument. The first element of the
// vector grows by one from call to call: by the function or, if it gets queued calls, after the call. more follows.
func Counting(way callbacks.Dispatch, config string, size int, more string) string {
	typ, form := fmt.Sprintf("tensor<%dxi64>", size), FormOf(way)
	call := "%w = " + Custom(form, config, "%v", typ, typ)
	if form == contract.Observe {
		call = "%t = " + Custom(form, config, "%v", typ, "tensor<i8>") + "\n%w = stablehlo.add %v, %step : " + typ
	}
	before := fmt.Sprintf(`  %%i0 = stablehlo.iota dim = 0 : %[1]s
  %%none = stablehlo.constant dense<0> : %[1]s
  %%is = stablehlo.compare EQ, %%i0, %%none : (%[1]s, %[1]s) -> tensor<%[2]dxi1>
  %%step = stablehlo.convert %%is : (tensor<%[2]dxi1>) -> %[1]s
`, typ, size)
	return Main("%x: "+typ+", %n: tensor<i32>", typ, before+Loop(typ, "%x", call+"\n"+more))
}

// Custom returns a custom call of the contract. config holds the attributes of
// backend_config besides the version and the form.
func Custom(form contract.Form, config, operands, types, results string) string {
	var aliases []string
	if form == contract.Passthrough {
		n := strings.Count(operands, "%")
		for i := range n {
			index := fmt.Sprint(i)
			if n == 1 {
				index = ""
			}
			aliases = append(aliases, fmt.Sprintf("#stablehlo.output_operand_alias<output_tuple_indices = [%s], operand_index = %d, operand_tuple_indices = []>", index, i))
		}
	}
	return fmt.Sprintf("stablehlo.custom_call @%s(%s) {api_version = 4 : i32, has_side_effect = %t, backend_config = {v = %d : i64, form = %q, %s}, output_operand_aliases = [%s]} : (%s) -> %s",
		form.Target(), operands, form.HasSideEffect(), contract.Version, form, config, strings.Join(aliases, ", "),
		types, results)
}
