package main

import (
	"fmt"
	"io"
	"math"
	"math/cmplx"
	"strings"
	"text/tabwriter"

	"github.com/calliope-mlir/calliope/tensor"
)

// difference describes how one output differs.
type difference struct {
	elements      int // number of elements that differ
	worst         int // the element that exceeds the tolerance most
	got, expected any
	abs, rel      float64 // errors of the worst element
}

// compare compares two arrays of the same shape.
func compare(got, expected tensor.View, t tolerance) difference {
	var d difference
	excess := math.Inf(-1)
	floats := isFloat(got.Shape.DType)
	for i := range got.Shape.NumElements() {
		g, e := element(got, i), element(expected, i)
		tooClose := t.atLeast > 0 && steps(got, expected, i) < t.atLeast
		if g == e && !tooClose {
			continue
		}
		abs, size := distance(g, e)
		allowed := 0.0
		if floats && !tooClose {
			allowed = t.atol + t.rtol*size
			if abs <= allowed || t.ulps > 0 && steps(got, expected, i) <= t.ulps {
				continue
			}
		}
		d.elements++
		if abs-allowed > excess {
			excess = abs - allowed
			d.worst, d.got, d.expected, d.abs, d.rel = i, g, e, abs, abs/size
		}
	}
	return d
}

func isFloat(d tensor.DType) bool {
	switch name := d.String(); name[0] {
	case 'f', 'b', 'c': // f32, bf16, c64
		return true
	}
	return false
}

// distance returns the distance of two elements and the size of the expected one. The
// distance of NaN is 0 from NaN, and infinite from all numbers.
func distance(got, expected any) (abs, size float64) {
	g, e := toComplex(got), toComplex(expected)
	re, im := apart(real(g), real(e)), apart(imag(g), imag(e))
	size = cmplx.Abs(e)
	if math.IsInf(size, 0) || math.IsNaN(size) {
		size = 0 // no tolerance
	}
	return math.Hypot(re, im), size
}

func apart(got, expected float64) float64 {
	switch {
	case got == expected || math.IsNaN(got) && math.IsNaN(expected):
		return 0
	case math.IsNaN(got) || math.IsNaN(expected):
		return math.Inf(1)
	}
	return math.Abs(got - expected)
}

func toComplex(x any) complex128 {
	switch x := x.(type) {
	case bool:
		if x {
			return 1
		}
		return 0
	case int8:
		return complex(float64(x), 0)
	case int16:
		return complex(float64(x), 0)
	case int32:
		return complex(float64(x), 0)
	case int64:
		return complex(float64(x), 0)
	case uint8:
		return complex(float64(x), 0)
	case uint16:
		return complex(float64(x), 0)
	case uint32:
		return complex(float64(x), 0)
	case uint64:
		return complex(float64(x), 0)
	case float32:
		return complex(float64(x), 0)
	case float64:
		return complex(x, 0)
	case complex64:
		return complex128(x)
	case complex128:
		return x
	}
	return cmplx.NaN()
}

// report prints a comparison of the outputs with the expected ones, and reports whether
// they agree.
func report(w io.Writer, o options, outputs, expected []tensor.View) (same bool) {
	same = true
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, got := range outputs {
		d := compare(got, expected[i], o.compare)
		if d.elements == 0 {
			continue
		}
		if same {
			fmt.Fprintln(table, "output\ttype\tdiffer\tworst at\tgot\texpected\tabs error\trel error")
		}
		same = false
		fmt.Fprintf(table, "out%d\t%s\t%d of %d\t%s\t%v\t%v\t%.3g\t%.3g\n", i, got.Shape, d.elements,
			got.Shape.NumElements(), index(got.Shape, d.worst), d.got, d.expected, d.abs, d.rel)
	}
	table.Flush()
	if same {
		fmt.Fprintf(w, "%[1]d of %[1]d outputs match %[2]s\n", len(outputs), o.expect)
	}
	return same
}

// index returns the position of the i-th element: [0,3], or [] in a scalar.
func index(s tensor.Shape, i int) string {
	at := make([]string, s.Rank())
	for k := s.Rank() - 1; k >= 0; k-- {
		at[k] = fmt.Sprint(i % s.Dims[k])
		i /= s.Dims[k]
	}
	return "[" + strings.Join(at, ",") + "]"
}
