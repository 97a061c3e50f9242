package conformance

import (
	"github.com/calliope-mlir/calliope/mlir"
	. "github.com/calliope-mlir/calliope/stablehlo"
)

// nanSamples have a NaN where XLA CPU drops it unless it is compiled without fast minima
// and maxima, see engine.CompileOptions.Flags.
var nanSamples = []sample{
	{op: "maximum", about: "with a NaN on the right, and zeros", in: in("f32[2] 1 -0", "f32[2] nan 0"),
		want:  in("f32[2] nan 0"),
		build: func(b *body) []mlir.Value { return b.op(MaximumOp{LHS: b.In[0], RHS: b.In[1]}) }},
	{op: "minimum", about: "with a NaN on the right, and zeros", in: in("f32[2] 1 0", "f32[2] nan -0"),
		want:  in("f32[2] nan -0"),
		build: func(b *body) []mlir.Value { return b.op(MinimumOp{LHS: b.In[0], RHS: b.In[1]}) }},
	{op: "clamp", about: "of and to a NaN", in: in("f32[3] nan 0 0", "f32[3] 1 2 nan", "f32[3] 3 nan 1"),
		want:  in("f32[3] nan nan nan"),
		build: func(b *body) []mlir.Value { return b.op(ClampOp{Min: b.In[0], Operand: b.In[1], Max: b.In[2]}) }},
}
