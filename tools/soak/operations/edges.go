package operations

import "math"

// An edge is an attribute of operations, with its values, from which the generator draws. They have those at the edges
// of what it may be. One that is usual is in the list more than once.
type edge[T any] struct {
	ops    string
	values []T
	// as is a regular expression for the text of an operation with a value, which %v stands for.
	as string
}

func in(list string) string { return list + ` = array<i64: [^>]*\b%v\b` }

var (
	sliceStrides = edge[int]{"slice", []int{1, 1, 2, 3, 100, 1 << 40}, in("strides")}

	edgePadding = edge[int]{"pad", []int{-9, -2, -1, 0, 0, 1, 2, 7},
		`edge_padding_low = array<i64: [^>]*%v\b.*edge_padding_high = array<i64: [^>]*%[1]v\b`}
	interiorPadding = edge[int]{"pad", []int{0, 0, 0, 1, 2, 6}, in("interior_padding")}

	windowSizes   = edge[int]{"reduce_window select_and_scatter", []int{1, 1, 2, 3}, in("window_dimensions")}
	windowStrides = edge[int]{"reduce_window select_and_scatter convolution", []int{1, 1, 1, 2, 3, 100},
		in("window_strides")}
	windowPadding = edge[int]{"reduce_window select_and_scatter convolution", []int{-2, -1, 0, 0, 0, 1, 2, 5},
		`padding = dense<[^>]*%v\b`}
	baseDilations   = edge[int]{"reduce_window", []int{1, 1, 1, 2, 3}, in("base_dilations")}
	windowDilations = edge[int]{"reduce_window", []int{1, 1, 1, 2, 3, 100}, in("window_dilations")}

	exponentBits = edge[int]{"reduce_precision", upTo(1, 12), `exponent_bits = %v `}
	mantissaBits = edge[int]{"reduce_precision", append(upTo(0, 24), 51, 52, 53), `mantissa_bits = %v `}

	// Up to where types have no more integers in a row.
	iotaSizes = edge[int]{"iota", []int{127, 128, 129, 255, 256, 257, 300, 2050}, `tensor<%vx`}

	likeValues = edge[int]{"chlo.constant_like", []int{0, 1, 3, 9, math.MaxInt8}, `value = %v(\.0)? `}

	directions = edge[string]{"compare", []string{"EQ", "NE", "LT", "LE", "GT", "GE"}, `comparison_direction %v>`}
	precisions = edge[string]{"dot dot_general convolution", []string{"DEFAULT", "HIGH", "HIGHEST"},
		`precision %v>, .*precision %[1]v>\]`}
	transposes = edge[string]{"triangular_solve", []string{"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}, `transpose %v>`}
	unitary    = edge[bool]{"triangular_solve", []bool{false, true}, `unit_diagonal = %v`}
	sortOrders = edge[string]{"sort", []string{"LT", "GT"}, `comparison_direction %v>`}
	isStable   = edge[bool]{"sort", []bool{false, true}, `is_stable = %v`}
	selections = edge[string]{"select_and_scatter", []string{"GE", "LE", "GT", "LT"}, `comparison_direction %v>`}
	epsilons   = edge[string]{"batch_norm_inference", []string{"1.0", "1.0e-2", "1.0e-5"}, `epsilon = %v `}

	// Engines may be more accurate than a program asks for.
	accuracies = edge[string]{"exponential log tanh sqrt cbrt cosine logistic", []string{"", "", "",
		"#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>",
		"#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>",
		"#stablehlo.result_accuracy<ulps = 0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
		"#stablehlo.result_accuracy<atol = 0.5, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>"}, `%v`}

	fourierKinds = edge[string]{"fft", []string{"FFT", "IFFT", "RFFT", "IRFFT"}, `fft_type %v>`}
)

// chloDirections are those of the comparison that broadcasts.
var chloDirections = edge[string]{"chlo.broadcast_compare", directions.values, directions.as}

func upTo(first, last int) (list []int) {
	for n := first; n <= last; n++ {
		list = append(list, n)
	}
	return list
}

// draw returns one of the values.
func (e edge[T]) draw(g *generator) T { return pick(g.Rand, e.values) }
