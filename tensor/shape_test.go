package tensor_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestShape(t *testing.T) {
	for _, c := range []struct {
		text            string
		shape           tensor.Shape
		elements, bytes int
	}{
		{"f32[]", tensor.ShapeOf(tensor.F32), 1, 4},
		{"f32[2,3]", tensor.ShapeOf(tensor.F32, 2, 3), 6, 24},
		{"s4[5]", tensor.ShapeOf(tensor.S4, 5), 5, 5},
		{"pred[1,1,1]", tensor.ShapeOf(tensor.Pred, 1, 1, 1), 1, 1},
		{"c128[2]", tensor.ShapeOf(tensor.C128, 2), 2, 32},
		{"u8[0]", tensor.ShapeOf(tensor.U8, 0), 0, 0},
		{"f64[3,0,7]", tensor.ShapeOf(tensor.F64, 3, 0, 7), 0, 0},
		{"token[]", tensor.ShapeOf(tensor.Token), 1, 0},
		{"f8e4m3b11fnuz[10,10]", tensor.ShapeOf(tensor.F8E4M3B11FNUZ, 10, 10), 100, 100},
	} {
		t.Run(c.text, func(t *testing.T) {
			check.Diff(t, "String", c.text, c.shape.String())
			parsed, err := tensor.ParseShape(c.text)
			check.NoError(t, err)
			check.Diff(t, "ParseShape", c.shape, parsed)
			check.NoError(t, c.shape.Check())
			check.Diff(t, "NumElements", c.elements, c.shape.NumElements())
			check.Diff(t, "NumBytes", c.bytes, c.shape.NumBytes())
			check.Diff(t, "Rank", len(c.shape.Dims), c.shape.Rank())
		})
	}
}

func TestShapeOfEveryDType(t *testing.T) {
	for _, f := range dtypeFacts {
		s := tensor.ShapeOf(f.D, 2, -1)
		check.Diff(t, "String", f.Name+"[2,?]", s.String())
		parsed, err := tensor.ParseShape(s.String())
		check.NoError(t, err)
		check.Diff(t, "ParseShape", s, parsed)
	}
}

func TestParseShapeUnknownDims(t *testing.T) {
	s, err := tensor.ParseShape("f32[?,3,?]")
	check.NoError(t, err)
	check.Diff(t, "shape", tensor.ShapeOf(tensor.F32, -1, 3, -1), s)
	check.Diff(t, "String", "f32[?,3,?]", s.String())
	check.Error(t, s.Check(), "dimension 0 of f32[?,3,?] is not known")
}

func TestParseShapeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "is not a shape",
		"f32":                       "is not a shape",
		"f32[":                      "is not a shape",
		"f32]":                      "is not a shape",
		"f32[2] ":                   "is not a shape",
		"f32[2],f32[2]x":            "is not a shape",
		"[2]":                       `"" is not an element type`,
		"invalid[2]":                `"invalid" is not an element type`,
		"i32[2]":                    `"i32" is not an element type`,
		" f32[2]":                   `" f32" is not an element type`,
		"f32[2]]":                   `"2]" is not a dimension`,
		"f32[[2]":                   `"[2" is not a dimension`,
		"f32[2,]":                   `"" is not a dimension`,
		"f32[,]":                    `"" is not a dimension`,
		"f32[2, 3]":                 `" 3" is not a dimension`,
		"f32[-1]":                   `"-1" is not a dimension`,
		"f32[-0]":                   `"-0" is not a dimension`,
		"f32[+2]":                   `"+2" is not a dimension`,
		"f32[02]":                   `"02" is not a dimension`,
		"f32[0x2]":                  `"0x2" is not a dimension`,
		"f32[1_0]":                  `"1_0" is not a dimension`,
		"f32[??]":                   `"??" is not a dimension`,
		"f32[9223372036854775808]":  `"9223372036854775808" is not a dimension`,
		"f32[99999999999999999999]": `"99999999999999999999" is not a dimension`,
		"f32[2}":                    "is not a shape",
	} {
		t.Run(text, func(t *testing.T) {
			s, err := tensor.ParseShape(text)
			check.Error(t, err, want)
			check.Diff(t, "shape", tensor.Shape{}, s)
		})
	}
}

func TestShapeCheck(t *testing.T) {
	const huge = math.MaxInt
	for _, c := range []struct {
		name  string
		shape tensor.Shape
		want  string // "" where it is right
	}{
		{"the most bytes", tensor.ShapeOf(tensor.U8, huge), ""},
		{"one element too many", tensor.ShapeOf(tensor.U16, huge/2+1), "larger than any array"},
		{"most elements of two bytes", tensor.ShapeOf(tensor.U16, huge/2), ""},
		{"product of two", tensor.ShapeOf(tensor.U8, huge, 2), "larger than any array"},
		{"product wraps to a small number", tensor.ShapeOf(tensor.U8, huge/2+1, 4, 2), "larger than any array"},
		{"product wraps to zero", tensor.ShapeOf(tensor.U8, huge/2+1, huge/2+1, 16), "larger than any array"},
		{"size overflows", tensor.ShapeOf(tensor.C128, huge/8), "larger than any array"},
		{"huge but empty", tensor.ShapeOf(tensor.F64, huge, 0, huge), ""},
		{"negative", tensor.ShapeOf(tensor.F32, 2, -3), "dimension 1 of f32[2,-3] is negative: give its size, or -1"},
		{"not known behind zero", tensor.ShapeOf(tensor.F32, 0, -1), "dimension 1 of f32[0,?] is not known"},
		{"least int", tensor.ShapeOf(tensor.F32, math.MinInt), "dimension 0 of f32[-9223372036854775808] is negative"},
		{"zero value", tensor.Shape{}, "invalid[] has no element type"},
		{"no such type", tensor.ShapeOf(200, 2), "dtype(200)[2] has no element type"},
		{"token", tensor.ShapeOf(tensor.Token), ""},
		{"tokens", tensor.ShapeOf(tensor.Token, 2), "a token is not an array"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.shape.Check()
			if c.want != "" {
				check.Error(t, err, c.want)
				return
			}
			check.NoError(t, err)
			if n := c.shape.NumBytes(); n < 0 {
				t.Errorf("NumBytes is %d", n)
			}
		})
	}
}

// A negative dimension is not a dynamic one.
func TestShapeOfNegative(t *testing.T) {
	for _, n := range []int{-2, -3, math.MinInt} {
		text := fmt.Sprintf("f32[2,%d]", n)
		check.Diff(t, "String", text, tensor.ShapeOf(tensor.F32, 2, n).String())
		check.Error(t, tensor.ShapeOf(tensor.F32, 2, n).Check(),
			"dimension 1 of "+text+" is negative: give its size, or -1 if it is not known")
		_, err := tensor.FromSlice([]float32{1}, 2, n)
		check.Error(t, err, "is negative")
	}
}

func TestRowMajor(t *testing.T) {
	for _, c := range []struct {
		shape  tensor.Shape
		layout []int64
		want   bool
	}{
		{tensor.ShapeOf(tensor.F32), nil, true},
		{tensor.ShapeOf(tensor.F32, 4), []int64{0}, true},
		{tensor.ShapeOf(tensor.F32, 2, 3), []int64{1, 0}, true},
		{tensor.ShapeOf(tensor.F32, 2, 3), []int64{0, 1}, false},
		{tensor.ShapeOf(tensor.F32, -1, 3), []int64{0, 1}, false},
		{tensor.ShapeOf(tensor.F32, 2, 1), []int64{0, 1}, true},
		{tensor.ShapeOf(tensor.F32, 2, 1, 3), []int64{1, 2, 0}, true},
		{tensor.ShapeOf(tensor.F32, 2, 1, 3), []int64{0, 1, 2}, false},
		{tensor.ShapeOf(tensor.F32, 2, 3, 4), []int64{2, 1, 0}, true},
		{tensor.ShapeOf(tensor.F32, 2, 3, 4), []int64{2, 0, 1}, false},
		{tensor.ShapeOf(tensor.F32, 2, 3), []int64{1}, false},
		{tensor.ShapeOf(tensor.F32, 2, 3), []int64{2, 1}, false},
		{tensor.ShapeOf(tensor.F32, 2, 3), []int64{-1, 0}, false},
	} {
		check.Diff(t, fmt.Sprint(c.shape, c.layout), c.want, c.shape.RowMajor(c.layout))
	}
}

func TestShapeEqual(t *testing.T) {
	a := tensor.ShapeOf(tensor.F32, 2, 3)
	for _, c := range []struct {
		b    tensor.Shape
		want bool
	}{
		{tensor.ShapeOf(tensor.F32, 2, 3), true},
		{tensor.ShapeOf(tensor.S32, 2, 3), false},
		{tensor.ShapeOf(tensor.F32, 3, 2), false},
		{tensor.ShapeOf(tensor.F32, 2), false},
		{tensor.ShapeOf(tensor.F32), false},
	} {
		check.Diff(t, "Equal "+c.b.String(), c.want, a.Equal(c.b))
		check.Diff(t, "Equal, the other way", c.want, c.b.Equal(a))
	}
	check.Diff(t, "nil and no dimensions", true,
		tensor.ShapeOf(tensor.F32).Equal(tensor.Shape{DType: tensor.F32, Dims: []int{}}))
}

// A caller may use a slice of dimensions again.
func TestShapeOfCopiesDims(t *testing.T) {
	dims := []int{2, 3}
	s := tensor.ShapeOf(tensor.F32, dims...)
	v, err := tensor.FromSlice(make([]int8, 6), dims...)
	check.NoError(t, err)
	dims[0] = 100
	check.Diff(t, "shape", "f32[2,3]", s.String())
	check.Diff(t, "view", "s8[2,3]", v.Shape.String())
}

// What parses prints as it stood, and a shape that passes Check has a size.
func FuzzParseShape(f *testing.F) {
	for _, text := range []string{
		"", "f32[]", "f32[2,3]", "s4[0]", "bf16[?,3]", "token[]", "c128[9223372036854775807]", "u8[-0]", "f32[+1]",
		"f32[1,]",
		"pred[" + strings.Repeat("4294967296,", 4) + "0]",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := tensor.ParseShape(text)
		if err != nil {
			check.Error(t, err, "is not a")
			check.Diff(t, "shape", tensor.Shape{}, s)
			return
		}
		check.Diff(t, "String", text, s.String())
		if s.Check() == nil && (s.NumElements() < 0 || s.NumBytes() != s.NumElements()*s.DType.Size()) {
			t.Errorf("%s has %d elements and %d bytes", s, s.NumElements(), s.NumBytes())
		}
	})
}

func TestShapeClone(t *testing.T) {
	s := tensor.ShapeOf(tensor.F32, 2, 3)
	c := s.Clone()
	c.Dims[0] = 7
	check.Diff(t, "the shape after a change of its clone", "f32[2,3]", s.String())
	check.Diff(t, "the clone", "f32[7,3]", c.String())
}
