package operations

import (
	"math"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/lazyregexp"
	"github.com/calliope-mlir/calliope/tensor"
)

// A known is a difference, or an end of the process, that is documented or noted.
type known struct {
	why  string // a section of a page of docs/reference, or what is known of it
	fits func(p *program, f *finding) bool
}

// is returns a predicate for engines and operations.
func is(engine func(string) bool, what string, names string) func(*program, *finding) bool {
	list := strings.Fields(names)
	return func(p *program, f *finding) bool {
		return engine(f.Engine) && strings.HasPrefix(f.What, what) && (len(list) == 0 || p.has(list...))
	}
}

// and narrows a predicate.
func and(fits func(*program, *finding) bool, further func(*program, *finding) bool) func(*program, *finding) bool {
	return func(p *program, f *finding) bool { return fits(p, f) && further(p, f) }
}

func ofComplex(p *program, _ *finding) bool {
	return p.hasType(func(e element) bool { return e.is("c") })
}

func ofSmallest(p *program, _ *finding) bool {
	return p.hasType(func(e element) bool { return e.text != "" && !e.isQuantized() || e.DType == tensor.F8E8M0FNU })
}

var knowns = []known{
	{"Denormal numbers (xla-deviations.md)", and(is(isXLA, "differs", ""), hasDenormals)},
	{"Extremes of complex numbers (xla-deviations.md)", and(is(isXLA, "differs",
		"stablehlo.maximum stablehlo.minimum chlo.broadcast_maximum chlo.broadcast_minimum stablehlo.map"), ofComplex)},
	{"Large exponents of integers: the preparation leaves CHLO's alone", and(is(isXLA, "differs",
		"chlo.broadcast_power"),
		func(p *program, _ *finding) bool { return !p.isFloat() })},
	{"Windows of rank 0, and over dilated arrays, lose their initial value",
		and(is(isXLA, "differs", "stablehlo.reduce_window"), func(p *program, _ *finding) bool {
			return p.contains("window_dimensions = array<i64>,") || slices.ContainsFunc(p.lines, dilated().MatchString)
		})},
	{"Reductions over no dimension lose their initial value", and(is(isXLA, "differs", "stablehlo.reduce"),
		func(p *program, _ *finding) bool { return p.contains("<{dimensions = array<i64>}>") })},
	{"Windows of rank 0 end XLA's compile", and(is(isXLA, "crashes", "stablehlo.select_and_scatter"),
		func(p *program, _ *finding) bool { return p.contains("window_dimensions = array<i64>,") })},
	{"Signed random bits come back unsigned", and(is(isAny, "differs", "stablehlo.rng_bit_generator"),
		func(_ *program, f *finding) bool {
			return strings.Contains(f.Detail, " instead of u") || strings.Contains(f.Detail, " instead of s")
		})},
	{"Signs of half zeros", is(isXLA, "differs", "stablehlo.sign")},
	{"f6 and f8E8M0FNU on XLA", and(is(isXLA, "", ""), ofSmallest)},
	{"Products without contracted elements end XLA's exact compile", and(is(isXLA, "crashes",
		"stablehlo.dot stablehlo.dot_general stablehlo.einsum stablehlo.convolution chlo.ragged_dot"), isEmpty)},
	{"Slices of rank 0 and gathers of nothing end package jit", and(is(isJIT, "crashes",
		"stablehlo.dynamic_slice stablehlo.gather stablehlo.select_and_scatter"), isEmptyOrScalar)},
}

// dilated finds windows over arrays with gaps.
var dilated = lazyregexp.New(`base_dilations = array<i64: [^>]*[2-9]`)

// isAny is for all engines.
func isAny(string) bool { return true }

func isXLA(engine string) bool { return strings.HasPrefix(engine, "xla") }

func isJIT(engine string) bool { return engine == "jit" }

// isFloat reports whether the operations are all on floating-point numbers.
func (p *program) isFloat() bool {
	return !slices.ContainsFunc(p.types, func(e element) bool { return !e.is("f8c") })
}

func isEmpty(p *program, _ *finding) bool { return p.contains("<0x") || p.contains("x0x") }

func isEmptyOrScalar(p *program, f *finding) bool {
	return isEmpty(p, f) || p.contains("slice_sizes = array<i64>") || p.contains("window_dimensions = array<i64>")
}

// hasDenormals reports whether an input or a result has a denormal number.
func hasDenormals(p *program, f *finding) bool {
	for _, list := range [][]tensor.View{p.inputs, f.want, f.got} {
		for _, v := range list {
			for i := range v.Shape.NumElements() {
				if (element{DType: v.Shape.DType}).is("sup") {
					break
				}
				for _, x := range float64s(v, i) {
					if x = math.Abs(x); x != 0 && x < least[v.Shape.DType] {
						return true
					}
				}
			}
		}
	}
	return false
}

// least are the smallest normal numbers of types.
var least = map[tensor.DType]float64{tensor.F64: 0x1p-1022, tensor.C128: 0x1p-1022, tensor.F32: 0x1p-126,
	tensor.C64: 0x1p-126, tensor.BF16: 0x1p-126, tensor.F16: 0x1p-14}

// knownAs returns what is known of a finding, or "".
func (p *program) knownAs(f *finding) string {
	for _, k := range knowns {
		if k.fits(p, f) {
			return k.why
		}
	}
	return ""
}
