package mlir_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestParseMisfits checks that dense elements that do not fit their type are refused: the library
// would crash when it prints them, or print other memory.
func TestParseMisfits(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		for _, test := range []struct{ text, want string }{
			{"dense<(1, 2)> : tensor<i32>", "type tensor<i32> with 8 bytes instead of 4"},
			{"dense<(1, 2)> : tensor<i4>", "with 2 bytes instead of 1"},
			{"dense<(1, 2)> : tensor<index>", "with 16 bytes instead of 8"},
			{"dense<(1.0, 2.0)> : tensor<f32>", "with 8 bytes instead of 4"},
			{"dense<(true, false)> : tensor<16xi1>", ""},
			{"dense<(1, 2)> : tensor<4xi32>", "with 8 bytes instead of 16"},
			{"dense<[(1, 2), (3, 4)]> : tensor<2xi32>", "with 16 bytes instead of 8"},
			{"dense <[1,// >\n(3, 4)]> : tensor<2xi32>", ""},
			{"dense<(1, 2)> : vector<4xi32>", "with 8 bytes instead of 16"},
			{"dense<(1, 2)> : tensor<0xi32>", "with 8 bytes instead of 0"},
			{`dense<("a", "b")> : tensor<4x!nosuch.s>`, "with 2 strings instead of 4"},
			{"[1, {a = dense<(1, 2)> : tensor<i32>}]", "with 8 bytes instead of 4"},
		} {
			_, err := c.ParseAttribute(test.text)
			check.Error(t, err, "parsing the attribute", test.want)
			_, err = c.ParseType("(i8) -> tuple<tensor<1x2xi8, " + test.text + ">>")
			check.Error(t, err, "parsing the type", test.want)
			_, err = c.Parse("a.mlir",
				[]byte("module {\n \"x.y\"() ({\n  \"x.z\"() {a = "+test.text+"} : () -> ()\n }) : () -> ()\n}"))
			check.Error(t, err, "parse failed: a.mlir:3:3: error: 'x.z' op has dense elements of", test.want)
			_, err = c.ParseOperation("a.mlir", []byte(`"x.z"() {a = `+test.text+"} : () -> ()"))
			check.Error(t, err, "parse failed: a.mlir:1:1: error: 'x.z' op has dense elements of", test.want)
		}
		for _, text := range []string{
			"dense<(1, 2)> : tensor<complex<i32>>", "dense<[(1, 2), (3, 4)]> : tensor<2xcomplex<i3>>",
			"[dense<1> : tensor<0xi8>, dense<true> : tensor<2x0xi1>, dense<1.5> : tensor<0x3xf64>]",
			"dense<(true, false)> : tensor<9xcomplex<i1>>", "dense<(1.0, 2.0)> : tensor<3x0xcomplex<f32>>",
			"dense<(1.0, 2.0)> : tensor<4xcomplex<f64>>", `dense<"0x01020304"> : tensor<4xi8>`,
			`dense<["(", "a"]> : tensor<2x!nosuch.s>`, `dense<"("> : tensor<2x!nosuch.s>`,
			"[dense<(1, 2)> : tensor<complex<i8>>, dense<[true, false, true, false, true, false, true, false, true]> : tensor<9xi1>, dense<true> : tensor<9xi1>, dense<> : tensor<0xi1>]",
			"[dense<(1, 2)> : tensor<complex<i8>>, dense<[1, -1]> : tensor<2xi4>, dense<[1, 2]> : tensor<2xindex>, dense<1.5> : tensor<3xf8E4M3FN>, dense<[1, 2]> : tensor<2xi65>, dense<> : tensor<0xi8>]",
			"[dense<(1, 2)> : tensor<complex<i8>>, sparse<[[0, 1]], 1> : tensor<2x2xi8>, sparse<[[0], [1]], [1.0, 2.0]> : tensor<4xf32>]",
		} {
			a, err := c.ParseAttribute(text)
			check.NoError(t, err)
			m := check.Must(c.Parse("", []byte(`"x.y"() {a = `+text+`} : () -> ()`)))
			again := check.Must(c.Parse("", check.Must(m.Bytecode())))
			check.Diff(t, "the module read from bytecode", m.String(), again.String())
			check.Diff(t, "the attribute parsed again", a, check.Must(c.ParseAttribute(a.String())))
		}
	})
}

// TestParseInUsedMemory parses elements that fit, in memory in which other contexts have had some.
func TestParseInUsedMemory(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			text := "[unit"
			for i := range 300 {
				text += fmt.Sprintf(", dense<[(%d, 2), (3, 4)]> : tensor<2xcomplex<i16>>, \"%d%s\"", i, i,
					strings.Repeat("x", r.IntN(40)))
			}
			c := e.Library.NewContext(mlir.ContextOptions{})
			_, err := c.ParseAttribute(text + "]")
			check.NoError(t, err)
			check.NoError(t, c.Close())
		}
	})
}

// TestBytecodeMisfits changes the dimensions of a type in bytecode.
func TestBytecodeMisfits(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		data := check.Must(check.Must(c.Parse("",
			[]byte(`"x.y"() {a = dense<"0x`+strings.Repeat("00", 28)+`01"> : tensor<29xui8>} : () -> ()`))).Bytecode())
		// The shape is the number of dimensions and the dimensions, as signed numbers.
		shape := []byte{1<<1 | 1, 29<<2 | 1}
		if bytes.Count(data, shape) != 1 {
			t.Fatalf("the shape % x is not once in % x", shape, data)
		}
		for dim, want := range map[byte]string{28: "with 29 bytes instead of 28", 29: "",
			31: "with 29 bytes instead of 31"} {
			m, err := c.Parse("", bytes.Replace(data, shape, []byte{shape[0], dim<<2 | 1}, 1))
			if dim == 29 {
				check.NoError(t, err)
				check.NoError(t, m.Close())
				continue
			}
			check.Error(t, err, "'x.y' op has dense elements of type tensor<", want)
		}
	})
}
