package builder

import (
	"cmp"
	"strings"

	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// ConvOptions are the options of Conv. The lists have one entry for each spatial axis, in
// the order of the letters in Input. An empty list means ones, or no padding.
type ConvOptions struct {
	Strides        []int
	Padding        [][2]int // elements before and after
	Same           bool     // pad so that the result has the input's dimensions, divided by the strides and rounded up
	InputDilation  []int    // distance between the input's elements, for a transposed convolution
	KernelDilation []int    // distance between the kernel's elements
	Groups         int      // number of feature groups; 0 means 1
	BatchGroups    int      // number of batch groups; 0 means 1
	// Input, Kernel and Output name the axes: N is the batch, C the channels, I and O the
	// kernel's input and output channels. Other letters are spatial axes. If they are
	// empty, the channels come last: NHWC, HWIO and NHWC for images, NWC, WIO and NWC for
	// sequences. An empty Output is the same as Input.
	Input, Kernel, Output string
	Precision             stablehlo.Precision // of the operands; "" leaves it to the compiler
	Result                tensor.DType        // of the sums of products; the zero value is the operands' type
}

// Conv moves a kernel over x and sums the products. As usual in machine learning, it does
// not reverse the kernel. x is [batch, height, width, channels] and the kernel [height,
// width, input channels / groups, output channels], unless the options name the axes
// otherwise.
func Conv(x, kernel Value, o ConvOptions) Value {
	s := begin("convolution", x, kernel)
	if !s.ok {
		return s.none()
	}
	c := o.convolution(&s, x, kernel)
	if !s.ok {
		return s.none()
	}
	spatial := len(c.DimensionNumbers.InputSpatialDimensions)
	switch {
	case o.Same && o.Padding != nil:
		return s.fail("both Same and Padding are set: use one of them")
	case o.Same:
		xDims, kernelDims := dimsOf(x), dimsOf(kernel)
		for i := range spatial {
			n, k := xDims[c.DimensionNumbers.InputSpatialDimensions[i]],
				kernelDims[c.DimensionNumbers.KernelSpatialDimensions[i]]
			if n < 0 || k < 0 {
				return s.fail("the padding for Same is unknown because a dimension is unknown: set Padding")
			}
			n = dilated(n, at(o.InputDilation, i))
			c.Padding = append(c.Padding, samePadding(n, dilated(k, at(o.KernelDilation, i)), at(o.Strides, i)))
		}
	default:
		c.Padding = pairs64(o.Padding)
	}
	c.ResultType = s.inferred(stablehlo.ConvolutionType(c, s.element(o.Result)))
	return s.one(c)
}

// convolution returns the operation without its padding and result type.
func (o ConvOptions) convolution(s *step, x, kernel Value) stablehlo.ConvolutionOp {
	c := stablehlo.ConvolutionOp{
		LHS: x.v, RHS: kernel.v,
		WindowStrides: list64(o.Strides), LHSDilation: list64(o.InputDilation), RHSDilation: list64(o.KernelDilation),
		FeatureGroupCount: int64(max(o.Groups, 1)), BatchGroupCount: int64(max(o.BatchGroups, 1)),
		PrecisionConfig: both(o.Precision),
	}
	rank := rankOf(x)
	if rank < 2 || rankOf(kernel) != rank {
		s.fail("the operands have %d and %d dimensions: they need the same number, at least two", rank, rankOf(kernel))
		return c
	}
	for what, list := range map[string]int{"strides": len(o.Strides), "pairs of padding": len(o.Padding),
		"input dilations": len(o.InputDilation), "kernel dilations": len(o.KernelDilation)} {
		if list != 0 && list != rank-2 {
			s.fail("there are %d %s for %d spatial axes", list, what, rank-2)
			return c
		}
	}
	s.checkRange(o.Strides, o.InputDilation, o.KernelDilation, flat(o.Padding))
	letters := spatialLetters(rank - 2)
	input, kernelAxes, output := o.Input, o.Kernel, o.Output
	if input == "" {
		input = "N" + letters + "C"
	} else {
		letters = strings.Map(func(r rune) rune {
			if r == 'N' || r == 'C' {
				return -1
			}
			return r
		}, input)
	}
	kernelAxes = cmp.Or(kernelAxes, letters+"IO")
	output = cmp.Or(output, input)
	d := &c.DimensionNumbers
	d.InputBatchDimension, d.InputFeatureDimension,
		d.InputSpatialDimensions = s.layout("Input", input, "NC", letters, rank)
	d.KernelInputFeatureDimension, d.KernelOutputFeatureDimension,
		d.KernelSpatialDimensions = s.layout("Kernel", kernelAxes, "IO", letters, rank)
	d.OutputBatchDimension, d.OutputFeatureDimension,
		d.OutputSpatialDimensions = s.layout("Output", output, "NC", letters, rank)
	return c
}

// layout returns the axes that the letters name: the two of pair, and the spatial ones.
func (s *step) layout(what, text, pair, spatial string, rank int) (first, second int64, rest []int64) {
	where := func(letter byte) int64 {
		if strings.Count(text, string(letter)) != 1 || len(text) != rank {
			s.fail("the layout %s is %q: it must name the %d axes by different letters: %c, %c and the spatial ones, which are the same in all layouts",
				what, text, rank, pair[0], pair[1])
			return 0
		}
		return int64(strings.IndexByte(text, letter))
	}
	first, second = where(pair[0]), where(pair[1])
	rest = make([]int64, 0, len(spatial))
	for i := range len(spatial) {
		rest = append(rest, where(spatial[i]))
	}
	return first, second, rest
}

// spatialLetters returns names for n spatial axes.
func spatialLetters(n int) string {
	const names = "DHW"
	if n <= len(names) {
		return names[len(names)-n:]
	}
	return "abcdefghijklmnopqrstuvwxyz"[:min(n, 26)]
}

// samePadding returns the padding for which a window takes ceil(n / stride) steps over n
// elements.
func samePadding(n, window, stride int) [2]int64 {
	total := max((ceilDiv(n, stride)-1)*stride+window-n, 0)
	return [2]int64{int64(total / 2), int64(total - total/2)}
}

func ceilDiv(n, d int) int { return (n + d - 1) / d }

// dilated returns the extent of n elements at the given distance.
func dilated(n, distance int) int {
	if n == 0 {
		return 0
	}
	return (n-1)*distance + 1
}

// at returns the i-th of a list of positive numbers, or 1 if there is none.
func at(list []int, i int) int {
	if i < len(list) {
		return max(list[i], 1)
	}
	return 1
}

// list64 converts list to int64s. It returns nil for a nil list.
func list64(list []int) []int64 {
	if list == nil {
		return nil
	}
	return int64s(list)
}

func pairs64(list [][2]int) [][2]int64 {
	if list == nil {
		return nil
	}
	out := make([][2]int64, len(list))
	for i, p := range list {
		out[i] = [2]int64{int64(p[0]), int64(p[1])}
	}
	return out
}

// flat returns the numbers of pairs in one list.
func flat(pairs [][2]int) (out []int) {
	for _, p := range pairs {
		out = append(out, p[:]...)
	}
	return out
}
