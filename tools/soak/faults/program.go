package faults

import (
	"fmt"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tools/soak/load"
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
	call := load.Custom(form, config, "%d", typ, result)
	return load.Main("%x: "+typ, result,
		"%d = stablehlo.add %x, %x : "+typ+"\n%p = "+call+"\nreturn %p : "+result)
}

// looping returns a module that doubles its parameter and passes it through n calls in a
// loop.
func looping(config string, n, size int) string {
	typ := fmt.Sprintf("tensor<%dxf32>", size)
	return inLoop(n, typ, "%d = stablehlo.add %x, %x : "+typ, "%d",
		"%w = "+load.Custom(contract.Passthrough, config, "%v", typ, typ))
}

// tapping returns a module that taps n times a value that grows by one each time.
func tapping(config string, n, size int) string {
	typ := fmt.Sprintf("tensor<%dxf32>", size)
	return inLoop(n, typ, "%ones = stablehlo.constant dense<1.0> : "+typ, "%x",
		"%t = "+load.Custom(contract.Observe, config, "%v", typ, "tensor<i8>")+"\n%w = stablehlo.add %v, %ones : "+typ)
}

// inLoop returns a module that repeats the body, which makes %w of %v.
func inLoop(n int, typ, before, start, body string) string {
	count := fmt.Sprintf("\n%%n = stablehlo.constant dense<%d> : tensor<i32>\n", n)
	return load.Main("%x: "+typ, typ, before+count+load.Loop(typ, start, body))
}

// summed returns a module that makes a call and then adds up the results of all devices.
func summed(config string) string {
	const typ = "tensor<2xf32>"
	return load.Main("%x: "+typ, typ, "%p = "+load.Custom(contract.Passthrough, config, "%x", typ, typ)+`
  %s = "stablehlo.all_reduce"(%p) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (`+typ+`) -> `+typ+`
  return %s : `+typ)
}
