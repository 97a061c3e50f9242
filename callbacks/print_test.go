package callbacks_test

import (
	"bytes"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestPrint(t *testing.T) {
	x, n := tensor.Vector[float32](1, 2.5), tensor.Scalar[int32](3)
	matrix, err := tensor.FromSlice([]int8{1, 2, 3, 4}, 2, 2)
	check.NoError(t, err)
	what := map[string]any{"what": "x,x^2", "layer": 3}
	transforms := contract.Config{Transforms: "[('batch', {'batch_dims': (0, 0)})]"}
	batched := contract.Config{
		Transforms: check.Must(contract.EncodeTransforms(contract.JVP(), contract.Batch(contract.NotBatched, 0)))}
	for _, c := range []struct {
		name    string
		options callbacks.PrintOptions
		frame   callbacks.Frame
		want    string
	}{
		{"one array", callbacks.PrintOptions{}, callbacks.Frame{Args: []tensor.View{x}}, "[1.  2.5]\n"},
		{"none", callbacks.PrintOptions{}, callbacks.Frame{}, "()\n"},
		{"several", callbacks.PrintOptions{}, callbacks.Frame{Args: []tensor.View{x, n}}, "( [1.  2.5] 3 )\n"},
		{"several that are tall", callbacks.PrintOptions{}, callbacks.Frame{Args: []tensor.View{matrix, n, matrix}},
			"( [[1 2]\n   [3 4]]\n  3\n  [[1 2]\n   [3 4]] )\n"},
		{"several that are wide", callbacks.PrintOptions{LineWidth: 16}, callbacks.Frame{Args: []tensor.View{x, x}},
			"( [1.  2.5]\n  [1.  2.5] )\n"},
		{"values by name", callbacks.PrintOptions{What: what}, callbacks.Frame{Args: []tensor.View{n}},
			"layer: 3 what: x,x^2\n3\n"},
		{"device", callbacks.PrintOptions{What: what, ShowDevice: true},
			callbacks.Frame{Device: 2, Args: []tensor.View{n}}, "device: 2 layer: 3 what: x,x^2\n3\n"},
		{"list of transforms", callbacks.PrintOptions{}, callbacks.Frame{Config: batched, Args: []tensor.View{n}},
			"transforms: ['jvp', ('batch', {'batch_dims': (None, 0)})]\n3\n"},
		{"list of transforms by name", callbacks.PrintOptions{Format: "{transforms}"},
			callbacks.Frame{Config: batched, Args: []tensor.View{n}},
			"['jvp', ('batch', {'batch_dims': (None, 0)})]\n"},
		{"transforms", callbacks.PrintOptions{ShowDevice: true},
			callbacks.Frame{Config: transforms, Args: []tensor.View{n}},
			"device: 0 transforms: [('batch', {'batch_dims': (0, 0)})]\n3\n"},
		{"names", callbacks.PrintOptions{Names: []string{"m", "x"}}, callbacks.Frame{Args: []tensor.View{matrix, x, n}},
			"m: [[1 2]\n    [3 4]]\nx: [1.  2.5]\n3\n"},
		{"summary", callbacks.PrintOptions{Threshold: 3, EdgeItems: 1},
			callbacks.Frame{Args: []tensor.View{tensor.Vector[int64](1, 2, 3, 4)}}, "[1 ... 4]\n"},
		{"precision", callbacks.PrintOptions{Precision: 2},
			callbacks.Frame{Args: []tensor.View{tensor.Vector(math.Pi, -math.E)}}, "[ 3.14 -2.72]\n"},
		{"no precision", callbacks.PrintOptions{Precision: -1},
			callbacks.Frame{Args: []tensor.View{tensor.Vector(math.Pi, -math.E)}}, "[ 3. -3.]\n"},

		{"format", callbacks.PrintOptions{Format: "x = {}, n = {}"}, callbacks.Frame{Args: []tensor.View{x, n}},
			"x = [1.  2.5], n = 3\n"},
		{"format without arrays", callbacks.PrintOptions{Format: "here"}, callbacks.Frame{}, "here\n"},
		{"braces", callbacks.PrintOptions{Format: "{{{}}} }}{{"}, callbacks.Frame{Args: []tensor.View{n}}, "{3} }{\n"},
		{"by index", callbacks.PrintOptions{Format: "{1} {0} {1}"}, callbacks.Frame{Args: []tensor.View{x, n}},
			"3 [1.  2.5] 3\n"},
		{"by name", callbacks.PrintOptions{Format: "{n}: {x} {what} on {device}, {transforms}",
			Names: []string{"x", "n"}, What: what},
			callbacks.Frame{Device: 1, Args: []tensor.View{x, n}, Config: contract.Config{Transforms: "jvp"}},
			"3: [1.  2.5] x,x^2 on 1, jvp\n"},
		{"scalars", callbacks.PrintOptions{Format: "{} {} {} {}"}, callbacks.Frame{Args: []tensor.View{
			tensor.Scalar(3.0), tensor.Scalar(true), tensor.Scalar(float32(0.1)), tensor.Scalar(complex(1, -2.5)),
		}}, "3.0 True 0.1 (1-2.5j)\n"},
		{"digits", callbacks.PrintOptions{Format: "{:.3f} {:8.2f}| {:<8.2f}| {:+.1e} {:08.3f} {:g} {:>4} {:<4}|"},
			callbacks.Frame{Args: []tensor.View{
				tensor.Scalar(math.Pi), tensor.Scalar(math.Pi), tensor.Scalar(math.Pi), tensor.Scalar(math.Pi),
				tensor.Scalar(-math.Pi), tensor.Scalar(1e6), tensor.Scalar(true), tensor.Scalar(int8(7)),
			}}, "3.142     3.14| 3.14    | +3.1e+00 -003.142 1e+06 True 7   |\n"},
		{"integers", callbacks.PrintOptions{Format: "{:d} {:05d} {:x} {:+d} {:.1f} {:d}"},
			callbacks.Frame{Args: []tensor.View{
				tensor.Scalar(int8(-7)), tensor.Scalar(uint16(42)), tensor.Scalar(uint64(math.MaxUint64)),
				tensor.Scalar(int64(1)), tensor.Scalar(int32(2)), tensor.Scalar(true),
			}}, "-7 00042 ffffffffffffffff +1 2.0 1\n"},
		{"not finite", callbacks.PrintOptions{Format: "{:.2f} {:+.2f} {:5.1e}"}, callbacks.Frame{Args: []tensor.View{
			tensor.Scalar(math.NaN()), tensor.Scalar(math.Inf(1)), tensor.Scalar(math.Inf(-1)),
		}}, "nan +inf  -inf\n"},
		{"elements", callbacks.PrintOptions{Format: "{0:.1f} {1:d} {1:4}"},
			callbacks.Frame{Args: []tensor.View{tensor.Vector[float32](1, -10.25), matrix}},
			"[  1.0 -10.2] [[1 2]\n [3 4]] [[   1    2]\n [   3    4]]\n"},
		{"small types", callbacks.PrintOptions{Format: "{:.2f} {:.2f}"}, callbacks.Frame{Args: []tensor.View{
			tensor.Scalar(tensor.ToBFloat16(1.5)), {Shape: tensor.ShapeOf(tensor.F8E4M3FN), Data: []byte{0x38}},
		}}, "1.50 1.00\n"},
		{"width of texts", callbacks.PrintOptions{Format: "{device:4}|{what:7}|{what:>7}|", What: what},
			callbacks.Frame{}, "   0|x,x^2  |  x,x^2|\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			c.options.To = &b
			p, err := callbacks.Print(c.options)
			check.NoError(t, err)
			check.NoError(t, p(&c.frame))
			check.Diff(t, "text", c.want, b.String())
		})
	}
}

func TestPrintOptionErrors(t *testing.T) {
	alone := "a brace has no partner: write {{ or }} for a literal brace"
	unknown := func(inside string) string {
		return "{" + inside + "} is unknown: use a number, a name of Names or What, device or transforms"
	}
	syntax := func(spec string) string {
		return `"` + spec + `" is not a format: write [<|>][+][0][width][.precision][d|x|e|f|g]`
	}
	for format, want := range map[string]string{
		"{": alone, "}": alone, "a {0": alone, "{0}}": alone, "{{}": alone, "{a{0}}": alone,
		"{y}": unknown("y"), "{-1}": unknown("-1"), "{00}": unknown("00"), "{ }": unknown(" "), "{x.a}": unknown("x.a"),
		"{x!r}": unknown("x!r"),
		"{:q}":  syntax("q"), "{:.f}": syntax(".f"), "{:10000d}": syntax("10000d"), "{:^4d}": syntax("^4d"),
		"{::}":           syntax(":"),
		"{:.3}":          `".3" needs a letter at its end, which says how the number is written: d, x, e, f or g`,
		"{:+}":           `"+" needs a letter at its end, which says how the number is written: d, x, e, f or g`,
		"{:.3d}":         `".3d" has a precision, which an integer does not take: leave it out`,
		"{} {0}":         "{} and {0} cannot be mixed: number all of them or none",
		"{lr:.1f}":       "{lr:.1f} is a value of What, which takes an alignment and a width only",
		"{transforms:d}": "{transforms:d} is text, which takes an alignment and a width only",
	} {
		_, err := callbacks.Print(
			callbacks.PrintOptions{Format: format, Names: []string{"x"}, What: map[string]any{"lr": 0.1}})
		check.Text(t, err, `callbacks: Print: the format "`+format+`": `+want)
	}
	_, err := callbacks.Print(callbacks.PrintOptions{Format: "{}", ShowDevice: true})
	check.Text(t, err, `callbacks: Print: ShowDevice has no effect with the format "{}": write {device} in it`)
	_, err = callbacks.Print(callbacks.PrintOptions{Threshold: -1})
	check.Text(t, err, "callbacks: Print: the threshold -1, edge items 0 and line width 0 must not be negative")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestPrintCallErrors(t *testing.T) {
	x := tensor.Vector[float32](1)
	for _, c := range []struct {
		options callbacks.PrintOptions
		frame   callbacks.Frame
		want    string
	}{
		{callbacks.PrintOptions{To: failing{}}, callbacks.Frame{}, `cannot print: io: read/write on closed pipe`},
		{callbacks.PrintOptions{Format: "{1}"}, callbacks.Frame{Args: []tensor.View{x}},
			`cannot print: the format asks for array 1, but the call has only 1`},
		{callbacks.PrintOptions{Format: "{:d}"}, callbacks.Frame{Args: []tensor.View{x}},
			`cannot print: array 0 (f32[1]): the format "d" is for integers: use e, f or g`},
		{callbacks.PrintOptions{Format: "{:.1f}"}, callbacks.Frame{Args: []tensor.View{tensor.Scalar(1i)}},
			`cannot print: array 0 (c128[]): the format "f" does not support complex numbers`},
		{callbacks.PrintOptions{Format: "{device:d} {device:.1f}"}, callbacks.Frame{Args: []tensor.View{{}}},
			`cannot print argument 0: tensor: the shape invalid[] has no element type`},
		{callbacks.PrintOptions{}, callbacks.Frame{Results: []tensor.View{x}}, "the function returned 0 results, the module expects 1:\n  result 0: expected f32[1], returned nothing  <- differs"},
	} {
		var b bytes.Buffer
		if c.options.To == nil {
			c.options.To = &b
		}
		p, err := callbacks.Print(c.options)
		check.NoError(t, err)
		c.frame.Name = "p"
		check.Text(t, p(&c.frame), c.want)
		check.Diff(t, "text", "", b.String())
	}
}

// Texts of several devices, also of two callbacks that share a writer, do not mix.
func TestPrintConcurrently(t *testing.T) {
	var b bytes.Buffer
	var group sync.WaitGroup
	for _, format := range []string{"{} first {}", "{} second {}"} {
		p, err := callbacks.Print(callbacks.PrintOptions{To: &b, Format: format})
		check.NoError(t, err)
		for range 4 {
			group.Go(func() {
				for range 50 {
					if err := p(&callbacks.Frame{
						Args: []tensor.View{tensor.Vector[int8](1, 2), tensor.Scalar(int8(3))}}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	count := map[string]int{}
	for line := range strings.Lines(b.String()) {
		count[line]++
	}
	check.Diff(t, "lines", map[string]int{"[1 2] first 3\n": 200, "[1 2] second 3\n": 200}, count)
}
