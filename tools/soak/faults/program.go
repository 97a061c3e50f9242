package faults

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
)

// program is a compiled module whose parameter has the given number of elements.
type program struct {
	*bridge.Executable
	size int
}

// XLA executes a small module on the thread that starts it, and a large one on its own
// threads.
const (
	small = 4
	large = 2048
)

// compiled compiles a module whose parameter has the given number of elements.
func (s *scene) compiled(module string, size int) *program {
	return &program{s.compile(module, engine.CompileOptions{}), size}
}

// program compiles a module that doubles its parameter and makes a call with the result.
func (s *scene) program(form contract.Form, name string, size int) *program {
	return s.compiled(calling(form, s.bound(name), size), size)
}

// sizes compiles a module for small arrays, and for large ones.
func (s *scene) sizes(module func(size int) string) [2]*program {
	return [2]*program{s.compiled(module(small), small), s.compiled(module(large), large)}
}

// bound is the part of backend_config that binds to a name of the scene's registry.
func (s *scene) bound(name string) string {
	return fmt.Sprintf("callback = %q, registry = %q", name, s.registry.Name())
}

// calling returns a module that doubles its parameter and makes a call with the result.
func calling(form contract.Form, config string, size int) string {
	typ := fmt.Sprintf("tensor<%dxf32>", size)
	result := typ
	if form == contract.Observe {
		result = "tensor<i8>"
	}
	return mainFunc("%x: "+typ, result,
		"%d = stablehlo.add %x, %x : "+typ+"\n%p = "+custom(form, config, "%d", typ, result)+"\nreturn %p : "+result)
}

// looping returns a module that doubles its parameter and passes it through n calls in a
// loop.
func looping(config string, n, size int) string {
	typ := fmt.Sprintf("tensor<%dxf32>", size)
	return inLoop(n, typ, "%d = stablehlo.add %x, %x : "+typ, "%d",
		"%w = "+custom(contract.Passthrough, config, "%v", typ, typ))
}

// tapping returns a module that taps n times a value that grows by one each time.
func tapping(config string, n, size int) string {
	typ := fmt.Sprintf("tensor<%dxf32>", size)
	return inLoop(n, typ, "%ones = stablehlo.constant dense<1.0> : "+typ, "%x",
		"%t = "+custom(contract.Observe, config, "%v", typ, "tensor<i8>")+"\n%w = stablehlo.add %v, %ones : "+typ)
}

// inLoop returns a module that repeats the body, which makes %w of %v.
func inLoop(n int, typ, before, start, body string) string {
	return mainFunc("%x: "+typ, typ, before+fmt.Sprintf(`
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %%n = stablehlo.constant dense<%d> : tensor<i32>
  %%r:2 = stablehlo.while(%%i = %%zero, %%v = %s) : tensor<i32>, %s
    cond { %%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%p : tensor<i1> }
    do { %s
      %%j = stablehlo.add %%i, %%one : tensor<i32>
      stablehlo.return %%j, %%w : tensor<i32>, %s }
  return %%r#1 : %s`, n, start, typ, body, typ, typ))
}

// summed returns a module that makes a call and then adds up the results of all devices.
func summed(config string) string {
	const typ = "tensor<2xf32>"
	return mainFunc("%x: "+typ, typ, "%p = "+custom(contract.Passthrough, config, "%x", typ, typ)+`
  %s = "stablehlo.all_reduce"(%p) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (`+typ+`) -> `+typ+`
  return %s : `+typ)
}

func mainFunc(params, results, body string) string {
	return "func.func @main(" + params + ") -> (" + results + ") {\n" + body + "\n}"
}

// custom returns a custom call of the contract. config holds the attributes of
// backend_config besides the version and the form.
func custom(form contract.Form, config, operands, types, results string) string {
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
