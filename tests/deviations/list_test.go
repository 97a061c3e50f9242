package deviations

import (
	"encoding/binary"
	"math"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

// A deviation is a module that XLA compiles wrongly.
type deviation struct {
	title  string
	module string // testdata/<module>.mlir
	about  string
	inputs []tensor.View
	want   string
	// says is what each plugin makes of the module instead, or endsProcess. The others compute what they should.
	says    map[native.Part]string
	options engine.CompileOptions // without the way round
	around  around

	rare    bool   // only some processors show it
	counted bool   // the number of calls is a part of the results
	donated bool   // the inputs are
	raw     bool   // XLA gets the text, because our programs refuse the module
	flags   string // XLA_FLAGS of the child process
	// The devices that share the module, or each run it, all get the inputs; the results are those of the first.
	partitions, replicas int
}

// These are in the place of results.
const (
	endsProcess = "ends the process"
	neverEnds   = "is not compiled in an hour"
	refuses     = "is not compiled"
	timesOut    = "the call times out"
)

// inChild reports whether a module runs in a child process, which it ends, or which the test ends.
func inChild(says string) bool { return says == endsProcess || says == neverEnds }

// around is a way round.
type around struct {
	advice  string
	none    bool                  // there is none
	prepare bool                  // passes.Program
	options engine.CompileOptions // for the compile
	module  string                // of testdata, in the place of the other
}

var (
	prepared = around{prepare: true, advice: "the preparation."}
	exact    = around{options: engine.CompileOptions{Exact: true}, advice: "an exact compile."}
	both     = around{prepare: true, options: engine.CompileOptions{Exact: true}, advice: "the preparation."}
)

// rewritten is a way round by another module.
func rewritten(module, advice string) around { return around{module: module, advice: advice} }

// allPlugins are in the order of the page.
var allPlugins = []native.Part{native.PJRTPlugin, native.PJRT106, native.PJRT81}

var nan = float32(math.NaN())

// matrix5x8 has the numbers from 0 on.
var matrix5x8 = func() tensor.View {
	v := tensor.View{Shape: tensor.ShapeOf(tensor.S32, 5, 8)}
	for i := range uint32(40) {
		v.Data = binary.LittleEndian.AppendUint32(v.Data, i)
	}
	return v
}()

// on says what all plugins make of a module, or those that are named.
func on(result string, plugins ...native.Part) map[native.Part]string {
	if len(plugins) == 0 {
		plugins = allPlugins
	}
	m := map[native.Part]string{}
	for _, p := range plugins {
		m[p] = result
	}
	return m
}

// deviations are in the order of the page.
var deviations = []deviation{
	{title: "Large exponents of integers", module: "integer-power", around: prepared,
		about:  "XLA reads only the low six bits of the exponent of an integer.",
		inputs: []tensor.View{tensor.Vector[int32](3, 3, -3, 2), tensor.Vector[int32](64, 4095, 65, 70)},
		want:   "s32[4] [2038349057 2094688939 -1820079875 0]", says: on("s32[4] [1 2111105451 -3 64]")},
	{title: "Quotients of powers of integers", module: "integer-power-quotient", around: prepared,
		about:  "XLA takes x / yⁿ for x · y⁻ⁿ, which is 0 for most integers.",
		inputs: []tensor.View{tensor.Vector[int32](1000, 1000), tensor.Vector[int32](3, 2)},
		want:   "s32[2] [4 31]", says: on("s32[2] [0 0]")},
	{title: "Comparisons without a type", module: "untyped-comparison", around: prepared,
		about: "The folding of constants takes signed integers for unsigned ones if a comparison does not say which they are.",
		want:  "pred[2] [false true]", says: on("pred[2] [true true]", native.PJRT81)},
	{title: "Squares of integers", module: "integer-square", around: exact,
		about:  "XLA takes x · x for positive, but the product of integers wraps.",
		inputs: []tensor.View{tensor.Vector[int32](1580399937, 2)},
		want:   "s32[2] [1544713599 4], pred[2] [true false]",
		says:   on("s32[2] [-1544713599 4], pred[2] [false false]", native.PJRT81, native.PJRT106)},
	{title: "The magnitude of the least integer", module: "integer-magnitude", around: exact,
		about:  "XLA takes |x| for positive, but that of the least integer wraps.",
		inputs: []tensor.View{tensor.Vector[int32](math.MinInt32, -9)},
		want:   "pred[2] [true false], s32[2] [-536870912 2]",
		says:   on("pred[2] [false false], s32[2] [536870912 2]", native.PJRT81, native.PJRT106)},
	{title: "Clamps with crossed bounds", module: "clamp-bounds", around: exact,
		about:  "XLA takes max(clamp(a, x, b), a) for clamp(a, x, b), which is b if that is less than a.",
		inputs: []tensor.View{tensor.Vector[int32](5, 100)},
		want:   "s32[2] [64 64]", says: on("s32[2] [-2 -2]")},
	{title: "Leading zeros of constants", module: "leading-zeros-of-constants", around: exact,
		about: "The folding of constants counts the zeros of negative integers in 64 bits.",
		want:  "s32[2] [0 31]", says: on("s32[2] [-32 31]", native.PJRT81, native.PJRT106)},
	{title: "Quotients of quotients", module: "quotient-of-quotient", around: exact,
		about:  "XLA takes x / (y / z) for (x · z) / y, and (x / y) / z for x / (y · z), where products may overflow.",
		inputs: []tensor.View{tensor.Vector[float32](1e30, 2), tensor.Vector[float32](1e30, 1)},
		want:   "f32[2] [1e+30 4]", says: on("f32[2] [+Inf 4]")},
	{title: "Quotients by a constant", module: "quotient-by-constant", around: exact,
		about:  "XLA multiplies by the reciprocal of a constant, or of a square root, so the last bit may differ.",
		inputs: []tensor.View{tensor.Vector[float32](-1.4380158e+07, 1)},
		want:   "f32[2] [-1.4380158e+06 0.1]", says: on("f32[2] [-1.4380159e+06 0.1]")},
	{title: "Quotients by huge numbers", module: "quotient-by-huge", around: exact,
		about: "XLA multiplies by the reciprocal of a constant, and of a number that is broadcast. That of a number from 2^126\n" +
			"on is denormal, which XLA takes for zero. The quotient of an infinity is NaN then.",
		inputs: []tensor.View{tensor.Vector(3e38, float32(math.Inf(1))), tensor.Scalar[float32](2e38)},
		want:   "f32[2] [1.5 +Inf]", says: on("f32[2] [0 NaN]", native.PJRTPlugin)},
	{title: "Sums and products with several constants", module: "sums-with-constants", around: exact,
		about:  "XLA takes (x + a) + b for x + (a + b), and likewise for products.",
		inputs: []tensor.View{tensor.Vector[float32](0.5, 3)},
		want:   "f32[2] [0 0], f32[2] [0.5 3.0000002]", says: on("f32[2] [0.5 3], f32[2] [0.5 3]")},
	{title: "Square roots", module: "square-root", around: exact,
		about:  "XLA takes √(x · x) for |x|, although the product overflows.",
		inputs: []tensor.View{tensor.Vector[float32](math.MaxFloat32, 3)},
		want:   "f32[2] [+Inf 3]", says: on("f32[2] [3.4028235e+38 3]", native.PJRT81, native.PJRT106)},
	{title: "The magnitude of NaN", module: "magnitude-of-nan", around: exact,
		about:  "XLA takes |x| ≥ 0 for true, also for a NaN.",
		inputs: []tensor.View{tensor.Vector(nan, 1)},
		want:   "pred[2] [false true]", says: on("pred[2] [true true]")},
	{title: "Logarithms of powers", module: "logarithm-of-power", around: exact,
		about:  "XLA takes log(x^y) for log(|x|) · y, although a negative number has no logarithm.",
		inputs: []tensor.View{tensor.Vector[float32](-10, 2), tensor.Vector[float32](-1, 3)},
		want:   "f32[2] [NaN 2.0794415]", says: on("f32[2] [-2.3025851 2.0794415]")},
	{title: "Quotients of exponentials", module: "quotient-of-exponentials", around: exact,
		about:  "XLA takes exp(x) / exp(y) for exp(x − y), although both overflow.",
		inputs: []tensor.View{tensor.Vector[float32](100, 0), tensor.Vector[float32](100, 0)},
		want:   "f32[2] [NaN 1]", says: on("f32[2] [1 1]", native.PJRT81, native.PJRT106)},
	{title: "Products with booleans", module: "zero-times-negative", around: exact,
		about: "XLA takes x · p for x or 0, so the sign of a zero and an infinity are lost.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.Pred, 2), Data: []byte{0, 0}},
			tensor.Vector[float32](-1, float32(math.Inf(1)))},
		want: "f32[2] [-0 NaN]", says: on("f32[2] [0 0]")},
	{title: "Extremes of NaN", module: "maximum-of-nan",
		about:   "With xla_cpu_enable_fast_min_max, which XLA sets, maximum, minimum and clamp drop a NaN.",
		around:  around{advice: "none is needed, because bridge.Client.Compile sets the flag to false."},
		options: engine.CompileOptions{Flags: map[string]string{"xla_cpu_enable_fast_min_max": "true"}},
		inputs:  []tensor.View{tensor.Vector[float32](1, 2), tensor.Vector(nan, 1)},
		want:    "f32[2] [NaN 2]", says: on("f32[2] [1 2]")},
	{title: "Extremes of constants", module: "maximum-of-constants",
		about:  "The folding of constants drops a NaN in maximum, minimum and clamp, and takes -0 for 0.",
		around: rewritten("maximum-of-constants-around", "an optimization barrier around a constant."),
		want:   "f32[2] [NaN 5]", says: on("f32[2] [2 5]", native.PJRT81)},
	{title: "Signs of constants", module: "sign-of-constants",
		about:  "The folding of constants takes 0 for the sign of -0, which is -0.",
		around: rewritten("sign-of-constants-around", "an optimization barrier around the constant."),
		want:   "f32[2] [-0 1]", says: on("f32[2] [0 1]")},
	{title: "Sums of small floating-point types", module: "small-sum", around: exact,
		about:  "XLA does not round a sum of bf16 that is converted to f32, and likewise other operations and types of 16 bits.",
		inputs: []tensor.View{bfloat16s(0.08544922, 1), bfloat16s(-0.5859375, 1)},
		want:   "f32[2] [-0.5 2]", says: on("f32[2] [-0.5004883 2]")},
	{title: "Sums with zero", module: "sum-with-zero",
		about:  "XLA takes x + 0 for x, which is -0 if x is, and not 0.",
		around: rewritten("sum-with-zero-around", "an optimization barrier around the zero."),
		inputs: []tensor.View{tensor.Vector(float32(math.Copysign(0, -1)), 1)},
		want:   "f32[2] [0 1]", says: on("f32[2] [-0 1]")},
	{title: "Products that are added", module: "product-that-is-added",
		about: "A product that is added to something is not rounded, where the processor has an instruction for both.",
		around: rewritten("product-that-is-added-around",
			"a select whose predicate is behind an optimization barrier."),
		inputs: []tensor.View{tensor.Vector[float32](-28.786936, 1), tensor.Vector[float32](-0.750238, 1)},
		want:   "f32[2] [-7.1898823 2]", says: on("f32[2] [-7.1898828 2]")},
	{title: "Denormal numbers", module: "denormal",
		about:  "Denormal numbers are taken for 0.",
		around: around{none: true, advice: "none: compute with a wider type."},
		inputs: []tensor.View{tensor.Vector[float32](1e-30, 1), tensor.Vector[float32](1e-10, 1)},
		want:   "f32[2] [1e-40 1]", says: on("f32[2] [0 1]")},
	{title: "Extremes of complex numbers", module: "maximum-of-complex",
		about:  "XLA compares the real parts only. With equal real parts, the imaginary parts decide.",
		around: rewritten("maximum-of-complex-around", "compare the parts."),
		inputs: []tensor.View{tensor.Scalar(complex64(1 + 2i)), tensor.Scalar(complex64(1 + 3i))},
		want:   "c64[] (1+3i)", says: on("c64[] (1+2i)")},
	{title: "Values that are returned past a branch", module: "returned-through-branch", around: prepared,
		about: "Where a computation returns a value from before an if or a case with side effects, a call or a loop in\n" +
			"a branch may overwrite it. Here the function clears its result.",
		inputs: []tensor.View{tensor.Vector[float32](1, 2, 3, 4)},
		want:   "f32[4] [2 4 6 8]", says: on("f32[4] [0 0 0 0]")},
	{title: "Donated parameters", module: "donated-parameter", around: prepared, donated: true,
		about: "Where main returns a donated parameter unchanged as its only result, a call or a loop in a branch may overwrite\n" +
			"it. Here the function clears its result.",
		inputs: []tensor.View{tensor.Vector[float32](1, 2, 3, 4)},
		want:   "f32[4] [1 2 3 4]", says: on("f32[4] [0 0 0 0]")},
	{title: "Calls in conditions of loops", module: "call-in-condition", around: prepared, counted: true,
		about:  "Where XLA knows how often a loop runs, it does not evaluate the condition, so it loses the calls there.",
		inputs: []tensor.View{tensor.Vector[float32](1, 2, 3, 4)},
		want:   "f32[4] [16 32 48 64], 5 calls", says: on("f32[4] [16 32 48 64], 0 calls")},
	{title: "Loops that run zero times", module: "empty-loop", around: prepared,
		about: "Where a loop with side effects runs zero times, and only it uses the results of another one, XLA reads\n" +
			"freed memory.",
		inputs: []tensor.View{tensor.Scalar[int32](7)},
		want:   "s32[] 7", says: on(endsProcess)},
	{title: "Sums of booleans", module: "boolean-sum", around: prepared,
		about: "The folding of constants adds booleans modulo 2. In StableHLO, a sum of booleans is a logical or.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.Pred, 2), Data: []byte{1, 0}},
			{Shape: tensor.ShapeOf(tensor.Pred, 2), Data: []byte{1, 1}}},
		want: "pred[2] [true true], f32[2] [1 1], pred[] true", says: on("pred[2] [true true], f32[2] [1 1], pred[] false")},
	{title: "Large exponents that are broadcast", module: "broadcast-power", around: prepared,
		about:  "XLA reads only the low six bits of an exponent also where CHLO broadcasts it.",
		inputs: []tensor.View{tensor.Scalar[int32](3), tensor.Vector[int32](64, 4095, 65, 70)},
		want:   "s32[4] [2038349057 2094688939 1820079875 -102221863]", says: on("s32[4] [1 2111105451 3 729]")},
	{title: "Initial values", module: "initial-value", around: prepared,
		about: "Where a reduce combines one element with its initial value, XLA returns the element. Where a reduce_window\n" +
			"adds initial values around its operand, XLA leaves them out.",
		inputs: []tensor.View{tensor.Vector[int32](5, 7), tensor.Scalar[int32](10)},
		want:   "s32[2] [15 17], s32[2] [15 17], s32[3] [25 22 27]",
		says:   on("s32[2] [5 7], s32[2] [5 7], s32[3] [15 22 17]")},
	{title: "Scalars that are selected and scattered", module: "scalar-select-and-scatter", around: prepared,
		about:  "XLA's compiler ends the process on a select_and_scatter of an array without dimensions.",
		inputs: []tensor.View{tensor.Scalar[int32](4), tensor.Scalar[int32](5), tensor.Scalar[int32](6)},
		want:   "s32[] 11", says: on(endsProcess)},
	{title: "Scattered windows that are partly outside", module: "scatter-window", around: prepared,
		about: "XLA leaves out a window that is partly outside of the array. The specification leaves out the elements that\n" +
			"are outside, one by one. JAX computes what XLA does, but for modes that move windows inside.",
		inputs: []tensor.View{tensor.Vector[int32](0, 1, 2, 3), tensor.Vector[int32](2, -1, 7, 1)},
		want:   "s32[4] [200 302 14 26]", says: on("s32[4] [0 2 4 6]")},
	{title: "Scatters without indices", module: "scatter-without-index", around: prepared,
		about:  "Where the indices of a scatter have no numbers, every window begins at 0. XLA makes one of the updates.",
		inputs: []tensor.View{tensor.Vector[int32](0, 1, 2), tensor.Vector[int32](10, 20, 30, 40, 50)},
		want:   "s32[3] [150 1 2]", says: on("s32[3] [50 1 2]")},
	{title: "Indices of narrow types", module: "narrow-index", around: prepared,
		about: "XLA counts in the type of the indices, so it loses updates beyond it, and takes constants of unsigned\n" +
			"indices for signed ones.",
		inputs: []tensor.View{tensor.Vector[uint8](200)},
		want:   "s32[1] [200], s32[3] [199 -1 201]", says: on("s32[1] [0], s32[3] [199 200 201]")},
	{title: "Bits of narrow integers", module: "narrow-population-count", around: prepared,
		about: "XLA counts the bits of an integer of 2 or 4 bits in a wider one, whose further bits have the sign.",
		want:  "s4[4] [1 0 4 1], s2[2] [1 1]", says: on("s4[4] [1 0 -8 5], s2[2] [-1 1]")},
	{title: "Arctangents", module: "arctangent", around: prepared,
		about: "The code for an arctangent, or an atan2 with 1, of several dimensions mixes elements, and reads memory that is\n" +
			"not initialized: here all elements are π / 4.",
		inputs: []tensor.View{shaped(tensor.Vector[float64](1, 1, 1, 1, 1, 1, 1, 1), 4, 2)},
		want:   "pred[] true", says: on("pred[] false", native.PJRTPlugin)},
	{title: "Sorts of small integers", module: "small-sort", around: prepared,
		about: "XLA does not sort arrays of elements of 2 or 4 bits together with others. One of elements of 2 bits comes out\n" +
			"in another order, or the process ends.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.U4, 4), Data: []byte{0, 2, 7, 3}}},
		want:   "u4[4] [2 0 7 3], s2[4] [1 0 -1 -2]", says: on(refuses)},
	{title: "Joined arrays of two bits", module: "joined-pairs", around: prepared,
		about:  "XLA's compiler ends the process on a concatenation of elements of 2 bits.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.U2, 2), Data: []byte{3, 1}}},
		want:   "u2[4] [3 1 3 1]", says: on(endsProcess)},
	{title: "Products of small integers", module: "small-product", around: prepared,
		about: "XLA has no products of elements of 2 or 4 bits in a wider type, and none of 2 bits.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.U4, 2), Data: []byte{15, 2}},
			{Shape: tensor.ShapeOf(tensor.U2, 2), Data: []byte{3, 1}}},
		want: "s32[] 229, u4[] 5, u2[] 2", says: on(refuses)},
	{title: "Integers of numbers of 4 bits", module: "small-number", around: prepared,
		about:  "The largest number of f4E2M1FN, which is 6, becomes the largest integer.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.F4E2M1FN, 4), Data: []byte{7, 6, 15, 12}}},
		want:   "s8[4] [6 4 -6 -2], u32[4] [6 4 0 0]", says: on("s8[4] [127 4 -128 -2], u32[4] [4294967295 4 0 0]")},
	{title: "Numbers that are rounded twice", module: "two-roundings", around: prepared,
		about: "XLA converts integers to bf16 by way of f32. A number next to the middle of two results is rounded to the\n" +
			"middle, and then to the even one of both.",
		inputs: []tensor.View{tensor.Vector[int32](1<<30+1<<22+1, -3)},
		want:   "bf16[2] [1.0821304e+09 -3]", says: on("bf16[2] [1.0737418e+09 -3]")},
	{title: "Halves of f64 that are rounded twice", module: "two-roundings-of-f64", around: prepared, rare: true,
		about: "XLA converts f64 to types of 16 bits by way of f32, too. Processors with AVX512-FP16 convert to f16 at once, and\n" +
			"do not show it.",
		inputs: []tensor.View{tensor.Vector(1+0x1p-11+0x1p-40, -1)},
		want:   "f16[2] [1.0009766 -1]", says: on("f16[2] [1 -1]")},
	{title: "Rounded constants of f8E3M4", module: "rounded-to-nan", around: prepared,
		about: "XLA's folding rounds each constant of f8E3M4 to NaN: it adds a number that is too large for the type.",
		want:  "f32[2] [2 -3]", says: on("f32[2] [NaN NaN]")},
	{title: "Shifted updates before a window", module: "update-before-window", around: prepared,
		about: "An array that is updated by a slice of itself is read after it was written, if a reduce_window takes the result,\n" +
			"to which XLA adds a dimension.",
		inputs: []tensor.View{tensor.Vector[int32](1, 2, 3, 4, 5, 6), tensor.Scalar[int32](3)},
		want:   "s32[3] [6 10 18]", says: on("s32[3] [6 8 8]")},
	{title: "Slices in a scatter", module: "slice-in-scatter", around: prepared,
		about: "XLA makes slices of a scatter of one window, and adds their starts to those of the slice that is\n" +
			"updated before it clamps them.",
		inputs: []tensor.View{matrix5x8, tensor.Scalar[int32](3)},
		want:   "s32[2,6] [26 127 28 29 30 31 34 35 …]", says: on("s32[2,6] [26 128 28 29 30 31 34 35 …]")},
	{title: "Bits of bits through a loop", module: "bits-through-loop", around: prepared,
		about:  "The same where XLA removes a loop between them.",
		inputs: []tensor.View{tensor.Vector[int32](0x04030201), tensor.Scalar[int32](1)},
		want:   "u8[1,2,2] [1 2 3 4]", says: on(refuses)},
	{title: "Branches that return one value", module: "forwarded-result", around: prepared,
		about: "If all branches return the same value, it and the result are in one buffer, and XLA writes over it what it\n" +
			"computes of the value, while it reads the result from the other end.",
		inputs: []tensor.View{tensor.Vector[float32](1, 2, 3), tensor.Scalar[int32](0),
			{Shape: tensor.ShapeOf(tensor.Pred, 6), Data: make([]byte, 6)}},
		want: "f32[6] [3 2 1 3 2 1]", says: on("f32[6] [3 2 1 1 2 3]", native.PJRTPlugin)},
	{title: "Branches that return equal values", module: "result-times-one", around: prepared,
		about: "The same if XLA finds out that the values are equal, as those of x and x*1 are.",
		inputs: []tensor.View{tensor.Vector[float32](1, 2, 3), tensor.Scalar[int32](0),
			{Shape: tensor.ShapeOf(tensor.Pred, 6), Data: make([]byte, 6)}},
		want: "f32[6] [3 2 1 3 2 1]", says: on("f32[6] [3 2 1 1 2 3]", native.PJRTPlugin)},
	{title: "Loops that exchange equal values", module: "exchanged-carry", around: prepared,
		about: "The same for values that a loop carries, if all are one value in each iteration.",
		inputs: []tensor.View{tensor.Vector[float32](1, 2, 3), tensor.Scalar[int32](1),
			{Shape: tensor.ShapeOf(tensor.Pred, 6), Data: make([]byte, 6)}},
		want: "f32[6] [3 2 1 3 2 1]", says: on("f32[6] [3 2 1 1 2 3]", native.PJRTPlugin)},
	{title: "Roots of f8E3M4", module: "root-rounded-twice", around: prepared,
		about:  "XLA rounds roots of f8E3M4 to f16, and then to f8E3M4.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.F8E3M4, 2), Data: []byte{0x4f, 0x50}}},
		want:   "f8e3m4[2] [1.9375 2]", says: on("f8e3m4[2] [2 2]")},
	{title: "Transposed results of 4 bits", module: "small-results", around: prepared,
		about:  "An older plugin ends the process on several results, of which one is transposed and of 4 bits.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.S4, 2, 2), Data: []byte{1, 2, 3, 4}}},
		want:   "s4[2,2] [1 3 2 4], s4[2,2] [1 2 3 4]", says: on(endsProcess, native.PJRT81)},
	{title: "Counters of 64 bits", module: "wide-counter",
		around: around{options: engine.CompileOptions{OptimizationLevel: engine.NoOptimization},
			advice: "engine.CompileOptions.OptimizationLevel is NoOptimization, or a newer plugin."},
		about: "An older plugin has not all symbols that LLVM makes of a loop of which only the last value of a counter is used,\n" +
			"if its step is no power of 2.",
		inputs: []tensor.View{tensor.Scalar[int64](50)},
		want:   "s64[] 56", says: on(refuses, native.PJRT81)},
	{title: "Integers of 4 bits that wrap", module: "wrapped-nibble", around: prepared,
		about: "XLA computes integers of 4 bits in 8 bits, and takes the result for one of 8 bits where it is converted to them.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.S4, 3), Data: []byte{0xf8, 7, 3}},
			{Shape: tensor.ShapeOf(tensor.U4, 3), Data: []byte{0, 1, 15}}},
		want: "s8[3] [0 -2 6], u8[3] [15 14 0]", says: on("s8[3] [-16 14 6], u8[3] [255 254 240]")},
	{title: "Windows of one element", module: "trimmed-window", around: prepared,
		about: "XLA's compiler ends the process on a reduce_window whose windows have one element and whose padding removes\n" +
			"elements.",
		inputs: []tensor.View{tensor.Vector[int32](4, 5, 6)},
		want:   "s32[2] [4 5]", says: on(endsProcess)},
	{title: "Chains of eight bits", module: "float8-chain", around: prepared,
		about: "XLA makes one kernel of a chain of operations on floating-point numbers of eight bits. The time that LLVM\n" +
			"takes for it grows exponentially: here are fourteen sums and a maximum. An exact compile of numbers of f8E3M4,\n" +
			"f8E4M3 and f8E5M2FNUZ takes minutes for the maximum of a row that is broadcast.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.F8E4M3FN, 3), Data: []byte{0x38, 0x40, 0x44}}},
		want:   "f8e4m3fn[3] [15 30 52]", says: on(neverEnds, native.PJRTPlugin)},
	{title: "Selecting and scattering nothing", module: "nothing-scattered", around: prepared,
		about: "XLA's folding loses the initial value of a select_and_scatter without windows. An exact compile of pjrt106 and\n" +
			"pjrt81 does not end.",
		want: "f32[3] [2 2 2]", says: on("f32[3] [2 2 0]")},
	{title: "Quotients by the constant 0", module: "constant-quotient", around: prepared,
		about: "Where both operands of a quotient or remainder of integers are constants, older plugins divide by 0.",
		want:  "s32[2] [-1 -2], s32[2] [7 -2]", says: on(endsProcess, native.PJRT106, native.PJRT81)},
	{title: "Quotients of the least integer of 16 bits", module: "least-quotient", around: prepared, rare: true,
		about: "The code of a plugin for integers of 16 bits ends the process where the least one is divided by -1, on some\n" +
			"processors.",
		inputs: []tensor.View{tensor.Vector[int16](-32768, 7, 9), tensor.Vector[int16](-1, 0, 2)},
		want:   "s16[3] [-32768 -1 4], s16[3] [0 7 1]", says: on(endsProcess, native.PJRT106)},
	{title: "Constants that count from -0", module: "counting-constant", around: exact,
		about: "XLA takes a constant of -0, 1, 2 and so on for an iota, which begins with 0.",
		want:  "f32[3] [-0 1 2]", says: on("f32[3] [0 1 2]")},
	{title: "Products of one operand, and padding that is an operand", module: "untranslated", around: prepared,
		about: "XLA translates neither a unary_einsum nor a dynamic_conv. The preparation replaces the latter\n" +
			"if its padding is a constant.",
		inputs: []tensor.View{shaped(tensor.Vector[int32](1, 2, 3, 4, 5, 6), 2, 3),
			shaped(tensor.Vector[float32](1, 2, 3), 1, 3, 1)},
		want: "s32[2] [6 15], f32[1,3,1] [2 5 8]", says: on(refuses)},
	{title: "Ragged products", module: "ragged-product", around: prepared,
		about: "XLA's CPU compiler has no code for a ragged_dot.",
		inputs: []tensor.View{shaped(tensor.Vector[float32](1, 2, 3, 4, 5, 6), 3, 2),
			shaped(tensor.Vector[float32](1, 1, 10, 100), 2, 2, 1), tensor.Vector[int32](1, 2)},
		want: "f32[3,1] [3 430 650]", says: on(refuses)},
	{title: "Complex cube roots", module: "complex-cube-root", around: prepared,
		about:  "XLA has no cube root of complex numbers.",
		inputs: []tensor.View{tensor.Vector[complex64](8, 1)},
		want:   "c64[2] [(2+0i) (1+0i)]", says: on(refuses)},
	{title: "Angles of zeros", module: "angle-of-zeros", options: engine.CompileOptions{Exact: true}, around: both,
		about: "An exact compile folds the atan2 of two constants that are zero to NaN.",
		want:  "f32[2] [0 0], f32[2] [3.1415927 3.1415927]", says: on("f32[2] [NaN NaN], f32[2] [NaN NaN]")},
	{title: "Products of nothing", module: "empty-product", options: engine.CompileOptions{Exact: true}, around: both,
		about: "The code of an exact compile divides by the number of elements that a product adds up, also where it is 0.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.F64, 0), Data: []byte{}},
			{Shape: tensor.ShapeOf(tensor.F64, 0), Data: []byte{}}},
		want: "f64[] 0", says: on(endsProcess)},
	{title: "Products with a scalar", module: "scalar-product", around: both,
		options: engine.CompileOptions{Exact: true},
		about:   "An exact compile of an older plugin ends the process on the sum of an array and a dot_general of a scalar.",
		inputs:  []tensor.View{tensor.Scalar[float32](2), tensor.Vector[float32](0, 1, 2)},
		want:    "f32[3] [0 3 6]", says: on(endsProcess, native.PJRT81)},
	{title: "Products of labels with a constant", module: "constant-einsum", around: both,
		options: engine.CompileOptions{Exact: true},
		about: "An exact compile of an older plugin ends the process on the sum of an array and an einsum whose first\n" +
			"operand is a constant.",
		inputs: []tensor.View{tensor.Vector[float32](0, 1, 2, 3), tensor.Scalar[float32](3)},
		want:   "f32[] 9", says: on(endsProcess, native.PJRT81)},
	{title: "Products of labels of a wider type", module: "wider-einsum", around: prepared,
		about:  "XLA gives an einsum the element type of its operands, whatever the module says.",
		inputs: []tensor.View{tensor.Vector[int8](100, 100, 100)},
		want:   "s32[] 30000", says: on("s8[] 48")},
	{title: "Updates of one element", module: "scalar-update", around: both,
		options: engine.CompileOptions{Exact: true},
		about:   "An exact compile of an older plugin ends the process on a scatter of an update without dimensions.",
		inputs:  []tensor.View{tensor.Vector[float32](2, 2, 2, 2), tensor.Vector[int32](2), tensor.Scalar[float32](3)},
		want:    "f32[4] [2 2 3 2]", says: on(endsProcess, native.PJRT81)},
	{title: "Bits of complex numbers", module: "complex-bits", around: both,
		options: engine.CompileOptions{Exact: true},
		about:   "An exact compile ends the process on a bitcast_convert of complex numbers to the type that they have.",
		want:    "f32[2] [2 2]", says: on(endsProcess)},
	{title: "Signed random bits", module: "signed-random-bits", around: prepared,
		about: "XLA returns unsigned integers for the signed ones of a rng_bit_generator.",
		want:  "s16[3] [-5804 -10949 -27949], f32[3] [-5804 -10949 -27949]",
		says:  on("u16[3] [59732 54587 37587], f32[3] [59732 54587 37587]")},
	{title: "Updates by a part of the array itself", module: "shifted-update", around: prepared,
		about: "Where an array is updated by a shifted slice of itself, and then only gets another shape, XLA updates it in\n" +
			"place, and reads elements that it has written already.",
		inputs: []tensor.View{tensor.Vector[int32](0, 3, 6, 9, 12, 15)},
		want:   "s32[1,6] [1 1 4 7 10 13]", says: on("s32[1,6] [1 1 1 1 1 1]")},
	{title: "Updates of another shape by a part of the array", module: "reshaped-update", around: prepared,
		about: "Where an array only gets another shape, and is then updated by a shifted slice of itself, XLA updates it in\n" +
			"place, too.",
		inputs: []tensor.View{tensor.Vector[int32](1, 2, 3, 4, 5, 6), tensor.Scalar[int32](1)},
		want:   "s32[3,2] [1 2 1 2 3 4]", says: on("s32[3,2] [1 2 1 2 1 2]")},
	{title: "Updates by a part of the array in another shape", module: "update-of-another-shape", around: prepared,
		about:  "It does so, too, where the slice is one of the array before it gets another shape, also in an exact compile.",
		inputs: []tensor.View{tensor.Vector[int32](1, 2, 3, 4, 5, 6), tensor.Scalar[int32](1)},
		want:   "s32[3,2] [1 2 1 2 3 4]", says: on("s32[3,2] [1 2 1 2 1 2]")},
	{title: "Updates of a window's result", module: "update-of-window", around: prepared,
		about:  "XLA computes windows over one dimension in an array of two, so it is the same with them.",
		inputs: []tensor.View{tensor.Vector[int32](0)},
		want:   "s32[4] [2147483647 2147483647 2147483647 0]",
		says:   on("s32[4] [2147483647 2147483647 2147483647 2147483647]")},
	{title: "Updates in functions", module: "update-in-function", around: prepared,
		about:  "The new shape may be in the function that calls.",
		inputs: []tensor.View{tensor.Vector[int32](0, 3, 6, 9, 12, 15)},
		want:   "s32[1,6] [0 0 3 6 9 12]", says: on("s32[1,6] [0 0 0 0 0 0]")},
	{title: "Slices of slices", module: "nested-slices", around: prepared,
		about: "XLA makes one slice of two, and adds their starts before it clamps the sum: a start out of range moves what\n" +
			"is read, also out of the first slice. A gather of one window is such a slice, too.",
		inputs: []tensor.View{tensor.Vector[int32](0, 1, 2, 3, 4, 5), tensor.Scalar[int32](0), tensor.Scalar[int32](7)},
		want:   "s32[2] [2 3]", says: on("s32[2] [4 5]")},
	{title: "Bits of bits", module: "bits-of-bits", around: prepared,
		about:  "XLA makes one conversion of bits of two. If the bits have another shape then, its compiler refuses the module.",
		inputs: []tensor.View{tensor.Vector[int64](1<<48|2<<32|3<<16|4, -1)},
		want:   "s16[2,2,2] [4 3 2 1 -1 -1 -1 -1]", says: on(refuses)},
	{title: "Steps of loops", module: "trip-count", around: prepared,
		about:  "Where the step of a loop does not divide the distance of its constant bounds, XLA loses the last step.",
		inputs: []tensor.View{tensor.Scalar[float32](0)},
		want:   "s32[] 1, f32[] 2", says: on("s32[] -1, f32[] 1")},
	{title: "Counters that are updated twice", module: "two-steps", around: prepared,
		about:  "It makes one step of two, too.",
		inputs: []tensor.View{tensor.Scalar[float32](0)},
		want:   "s16[] 1, f32[] 2", says: on("s16[] -1, f32[] 1")},
	{title: "Counters that wrap", module: "wrapping-counter", around: prepared,
		about:  "Where the counter of a loop wraps before the loop ends, XLA takes another number of steps.",
		inputs: []tensor.View{tensor.Scalar[float32](0)},
		want:   "f32[] 3", says: on("f32[] 1")},
	{title: "Unsigned counters that count down", module: "unsigned-countdown", around: prepared,
		about: "XLA adds 2⁶⁴ − 1 to a counter of ui64 that counts down from a constant, and its compiler expects a step that\n" +
			"fits into an int64.",
		inputs: []tensor.View{tensor.Scalar[float32](0)},
		want:   "f32[] 3", says: on(endsProcess)},
	{title: "The last value of an unsigned counter", module: "unsigned-counter", around: prepared,
		about:  "Where a loop has constant bounds, XLA takes an s64 for the last value of its unsigned counter.",
		inputs: []tensor.View{tensor.Scalar[int32](0)},
		want:   "u32[] 6, s32[] 6, s32[] 0", says: on(endsProcess, native.PJRT106)},
	{title: "Bitwise operations of narrower integers", module: "narrower-bits", around: prepared,
		about:  "The code generator crashes on a bitwise and or or of an array of signed integers that were made narrower.",
		inputs: []tensor.View{tensor.Vector[int64](-5, 1<<40, 1<<33|7), tensor.Vector[int32](0, 1, 2)},
		want:   "s32[3] [-5 1 7], s32[3] [0 0 2]", says: on(endsProcess, native.PJRT106)},
	{title: "Bits as an integer", module: "bits-to-integer", raw: true,
		about: "XLA cannot compile a conversion of 64 booleans to an integer with their bits, and loses bits of the reverse one.\n" +
			"passes.Program refuses both, with the place.",
		around: rewritten("bits-to-integer-around", "shifts, and a reduction."),
		inputs: []tensor.View{
			{Shape: tensor.ShapeOf(tensor.Pred, 64), Data: append([]byte{1, 0, 1}, make([]byte, 61)...)}},
		want: "s64[] 5", says: map[native.Part]string{native.PJRT81: endsProcess, native.PJRT106: refuses,
			native.PJRTPlugin: refuses}},
	{title: "Calls in comparators", module: "call-in-comparator", raw: true,
		about: "XLA has no code for a custom call in the comparator of a sort, and none in the body of an all_reduce.\n" +
			"Package builder and passes.Program refuse such modules, with the place of the call.",
		around: rewritten("call-in-comparator-around", "call before the sort, on the whole array."),
		inputs: []tensor.View{tensor.Vector[float32](3, 1, 2, 4)},
		want:   "f32[4] [1 2 3 4]", says: on(refuses)},
	{title: "Calls in reductions", module: "call-in-reduction", raw: true,
		about: "XLA's compiler crashes on a custom call in the body of a reduce, reduce_window, scatter, select_and_scatter\n" +
			"or map. Package builder and passes.Program refuse such modules, with the place of the call.",
		around: rewritten("call-in-reduction-around", "call before the reduction, on the whole array."),
		inputs: []tensor.View{tensor.Vector[float32](3, 1, 2, 4)},
		want:   "f32[] 10", says: on(endsProcess)},
	{title: "Calls in functions that custom calls name", module: "call-in-named-function", raw: true,
		about: "XLA has no code for a custom call in a function that another one names (called_computations), such as the\n" +
			"comparator of ApproxTopK. passes.InsertTap taps nothing there, and passes.Program refuses such modules.",
		around: rewritten("call-in-named-function-around", "call before the other call, on the whole array."),
		inputs: []tensor.View{tensor.Vector[float32](3, 1, 2, 4)},
		want:   "f32[2] [4 3]", says: on(refuses)},
	{title: "Groups of no devices", module: "groups-of-nothing", raw: true,
		about:  "StableHLO's verifier divides by the number of devices in a group, also where all_to_all has no group.",
		around: around{none: true, advice: "none is needed: package mlir refuses such an operation."},
		inputs: []tensor.View{tensor.Vector[float32](3, 1, 2, 4)},
		want:   refuses, says: on(endsProcess, native.PJRT81, native.PJRT106)},
	{title: "Aliases of calls without results", module: "alias-of-no-result", raw: true,
		about:  "StableHLO's verifier reads the type of a result, also where a custom call has an alias and no results.",
		around: around{none: true, advice: "none is needed for text: package mlir refuses it."},
		inputs: []tensor.View{tensor.Vector[float32](3, 1, 2, 4)},
		want:   refuses, says: on(endsProcess)},
	{title: "Calls between collective operations", module: "call-between-collectives", replicas: 2,
		flags: "--xla_cpu_collective_call_warn_stuck_timeout_seconds=1 --xla_cpu_collective_call_terminate_timeout_seconds=2",
		about: "Where a call does not return, the other devices wait for its device in the next collective operation, and after\n" +
			"40 seconds XLA ends the process. Here it is 2 seconds, by a flag, and the function of one device does not return.",
		around: rewritten("call-between-collectives-around",
			"a function with a timeout, for which the run fails and the others go on."),
		inputs: []tensor.View{tensor.Vector[float32](3, 1, 2, 4)},
		want:   timesOut, says: on(endsProcess)},
	{title: "Updates of divided arrays", module: "divided-update", partitions: 2,
		about:  "Where devices share an array, XLA loses an update that begins outside of it, instead of moving it inside.",
		around: rewritten("divided-update-around", "a clamp of the index."),
		inputs: []tensor.View{tensor.Vector[float32](3, 1, 2, 4), tensor.Scalar[int32](9)},
		want:   "f32[4] [3 1 2 9]", says: on("f32[4] [3 1 2 4]")},
	{title: "Groups by the axes of a mesh with device_ids", module: "mesh-devices", partitions: 2,
		about:  "XLA takes the devices of a mesh for those in ascending order, where the groups of a collective are by its axes.",
		around: prepared,
		inputs: []tensor.View{tensor.Vector[float32](3, 1)},
		want:   "f32[4] [1 3 1 3]", says: map[native.Part]string{
			native.PJRTPlugin: "f32[4] [3 1 3 1]", native.PJRT106: "f32[4] [3 1 3 1]", native.PJRT81: refuses}},
	{title: "Groups by a part of an axis", module: "mesh-part", partitions: 4,
		about:  "XLA drops the part of an axis, where the mesh is in the attribute of the operation.",
		around: prepared,
		inputs: []tensor.View{tensor.Vector[float32](3, 1, 2, 5)},
		want:   "f32[4] [5 6 5 6]", says: map[native.Part]string{
			native.PJRTPlugin: "f32[4] [11 11 11 11]", native.PJRT81: refuses}},
}

// shaped returns an array with other dimensions.
func shaped(v tensor.View, dims ...int) tensor.View {
	v.Shape.Dims = dims
	return v
}

// bfloat16s returns an array of bf16.
func bfloat16s(list ...float32) tensor.View {
	v := tensor.View{Shape: tensor.ShapeOf(tensor.BF16, len(list))}
	for _, f := range list {
		v.Data = binary.LittleEndian.AppendUint16(v.Data, uint16(tensor.ToBFloat16(f)))
	}
	return v
}
