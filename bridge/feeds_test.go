package bridge

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestFeedsAreRefused holds that what would wait forever is not compiled, unless nothing calls it.
func TestFeedsAreRefused(t *testing.T) {
	const f32 = "tensor<4xf32>"
	const outfeed = `%t = stablehlo.create_token : !stablehlo.token
%u = "stablehlo.outfeed"(%x, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token loc("model.py":7:1)
return %x : tensor<4xf32>`
	const infeed = `%t = stablehlo.create_token : !stablehlo.token
%y, %u = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
return %y : tensor<4xf32>`
	c := testClient(t)
	for name, test := range map[string]struct{ module, want string }{
		"outfeed": {mainFunc("%x: "+f32, f32, outfeed), "the module has an outfeed at model.py:7, which would wait forever, because nothing is at its other end: make a callback of it with passes.Migrate"},
		"infeed":  {mainFunc("%x: "+f32, f32, infeed), "the module has an infeed"},
		"not called": {"module {\nfunc.func private @feed(%x: " + f32 + ") -> " + f32 + " {\n" + outfeed +
			"\n}\nfunc.func @main(%x: " + f32 + ") -> " + f32 + " {\nreturn %x : " + f32 + "\n}\n}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := c.Compile(t.Context(), Source(test.module), engine.CompileOptions{})
			if test.want == "" {
				check.NoError(t, err)
				check.NoError(t, e.Close())
				return
			}
			check.Error(t, err, test.want)
		})
	}
}

// TestPermutesAreRefused holds that a permute of devices that there are not is an error, where XLA would end the
// process.
func TestPermutesAreRefused(t *testing.T) {
	const f32 = "tensor<4xf32>"
	permute := func(pair string) Source {
		return Source(mainFunc("%x: "+f32, f32, `%y = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[`+pair+
			`]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32> loc("model.py":7:1)
return %y : tensor<4xf32>`))
	}
	c := testClient(t)
	for _, pair := range []string{"3, 0", "0, 3"} {
		_, err := c.Compile(t.Context(), permute(pair), engine.CompileOptions{})
		check.Error(t, err, "the collective_permute at model.py:7 names device 3, and the module is compiled for 1: raise")
	}
	for pair, replicas := range map[string]int{"0, 0": 1, "1, 0": 2} {
		e, err := c.Compile(t.Context(), permute(pair), engine.CompileOptions{Replicas: replicas})
		check.NoError(t, err)
		check.NoError(t, e.Close())
	}
}

// TestHints holds what an error says beside XLA's text.
func TestHints(t *testing.T) {
	c := testClient(t)
	big := "module {\n"
	for range 5000 {
		big += "// a comment of a line\n"
	}
	for i := range 200 {
		big += fmt.Sprintf("func.func @f%d(%%x: tensor<4xf32>) -> tensor<4xf32> { return %%x : tensor<4xf32> }\n", i)
	}
	for name, test := range map[string]struct{ module, want string }{
		"no main": {big + "}", "bridge: Compile: the module has no function @main, which is the one that runs"},
		"open": {mainFunc("%x: tensor<?xf32>", "tensor<?xf32>", "return %x : tensor<?xf32>"),
			"the module has open dimensions: stablehlo.Refine closes them for the arguments of a call"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Compile(t.Context(), Source(test.module), engine.CompileOptions{})
			check.Error(t, err, test.want)
			if n := len(err.Error()); n > 2000 {
				t.Errorf("the error has %d bytes", n)
			}
		})
	}
}
