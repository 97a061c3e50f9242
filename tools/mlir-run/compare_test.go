package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

func TestMinifloats(t *testing.T) {
	f, err := npz.Open("testdata/minifloats.npz")
	check.NoError(t, err)
	defer f.Close()
	types := 0
	for _, d := range tensor.DTypes() {
		if d.Size() != 1 || !isFloat(d) {
			continue
		}
		types++
		a, err := f.Array(d.String(), nil)
		if err != nil {
			t.Error(err)
			continue
		}
		want, err := tensor.Slice[float32](a.View)
		check.NoError(t, err)
		v := tensor.View{Shape: tensor.ShapeOf(d, len(want)), Data: make([]byte, len(want))}
		for i := range v.Data {
			v.Data[i] = byte(i)
			got, ok := element(v, i).(float32)
			nan := math.IsNaN(float64(got)) && math.IsNaN(float64(want[i]))
			if !ok || !nan && math.Float32bits(got) != math.Float32bits(want[i]) {
				t.Errorf("%s %#x: %v, want %v", d, i, element(v, i), want[i])
			}
		}
	}
	if types != len(f.Names()) {
		t.Errorf("%d types were compared, of %d", types, len(f.Names()))
	}
}

func TestCompare(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	f := func(x ...float64) tensor.View { return tensor.Vector(x...) }
	f8 := func(x ...byte) tensor.View {
		return tensor.View{Shape: tensor.ShapeOf(tensor.F8E4M3FN, len(x)), Data: x}
	}
	tight := tolerance{rtol: 0.1, atol: 0.01}
	for name, test := range map[string]struct {
		got, expected tensor.View
		elements      int
		worst         int
	}{
		"equal":                {f(1, 2), f(1, 2), 0, 0},
		"within rtol":          {f(109), f(100), 0, 0},
		"beyond rtol":          {f(111), f(100), 1, 0},
		"within atol":          {f(0.009), f(0), 0, 0},
		"beyond atol":          {f(0.011), f(0), 1, 0},
		"worst is the largest": {f(2, 9, 3), f(1, 1, 1), 3, 1},
		"NaN is NaN":           {f(nan, 1), f(nan, 1), 0, 0},
		"NaN is no number":     {f(5, nan), f(1, 1), 2, 1},
		"a number is no NaN":   {f(1, 1), f(1, nan), 1, 1},
		"infinity":             {f(inf, -inf), f(inf, -inf), 0, 0},
		"other infinity":       {f(1, -inf), f(1, inf), 1, 1},
		"finite for infinity":  {f(1e308), f(inf), 1, 0},
		"minus zero":           {f(math.Copysign(0, -1)), f(0), 0, 0},
		"empty":                {f(), f(), 0, 0},
		"integers are exact":   {tensor.Vector[int32](100, 2), tensor.Vector[int32](101, 2), 1, 0},
		"large integers":       {tensor.Vector[int64](1<<60 + 1), tensor.Vector[int64](1 << 60), 1, 0},
		"large unsigned": {tensor.Vector[uint64](math.MaxUint64), tensor.Vector[uint64](math.MaxUint64 - 1), 1,
			0},
		"booleans":         {tensor.Vector(true, false), tensor.Vector(true, true), 1, 1},
		"scalars":          {tensor.Scalar[uint8](1), tensor.Scalar[uint8](2), 1, 0},
		"f16":              {tensor.Vector(tensor.ToFloat16(1.05)), tensor.Vector(tensor.ToFloat16(1)), 0, 0},
		"bf16":             {tensor.Vector(tensor.ToBFloat16(1.5)), tensor.Vector(tensor.ToBFloat16(1)), 1, 0},
		"f8 as numbers":    {f8(0x38, 0x7f), f8(0x39, 0x7f), 1, 0}, // 1 and 1.125, NaN and NaN
		"complex":          {tensor.Vector(complex(1, 1)), tensor.Vector(complex(1, 1.05)), 0, 0},
		"complex parts":    {tensor.Vector(complex(1, 1)), tensor.Vector(complex(1, -1)), 1, 0},
		"complex NaN":      {tensor.Vector(complex(nan, 1)), tensor.Vector(complex(nan, 1)), 0, 0},
		"complex half NaN": {tensor.Vector(complex(nan, 1)), tensor.Vector(complex(1, 1)), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := compare(test.got, test.expected, tight)
			if d.elements != test.elements || d.worst != test.worst {
				t.Errorf("%d differ, worst %d; want %d, %d", d.elements, d.worst, test.elements, test.worst)
			}
		})
	}
}

func TestReport(t *testing.T) {
	got, _ := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 8}, 2, 3)
	expected, _ := tensor.FromSlice([]float32{1, 2, 3, 4, 4, 4}, 2, 3)
	same := tensor.Scalar(true)
	o := options{expect: "z.npz", compare: tolerance{rtol: 1e-5, atol: 1e-6}}
	var b bytes.Buffer
	if report(&b, o, []tensor.View{same, got}, []tensor.View{same, expected}) {
		t.Error("reported as the same")
	}
	want := []string{
		"output type differ worst at got expected abs error rel error",
		"out1 f32[2,3] 2 of 6 [1,2] 8 4 4 1",
	}
	var lines []string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	if !report(&b, o, []tensor.View{same}, []tensor.View{same}) {
		t.Error("reported as different")
	}
	if diff := cmp.Diff("1 of 1 outputs match z.npz\n", b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestShow(t *testing.T) {
	iota := func(dims ...int) tensor.View {
		v := tensor.View{Shape: tensor.ShapeOf(tensor.U8, dims...)}
		for i := range v.Shape.NumElements() {
			v.Data = append(v.Data, byte(i))
		}
		return v
	}
	for want, v := range map[string]tensor.View{
		"pred[] true":               tensor.Scalar(true),
		"u8[3] [0 1 2]":             iota(3),
		"u8[2,2] [[0 1] [2 3]]":     iota(2, 2),
		"u8[2,0] (no elements)":     iota(2, 0),
		"f8e4m3fn[2] [1 448]":       {Shape: tensor.ShapeOf(tensor.F8E4M3FN, 2), Data: []byte{0x38, 0x7e}},
		"u8[50] [0 1 2 … 47 48 49]": iota(50),
		"u8[10,10] [[0 1 2 … 7 8 9] [10 11 12 … 17 18 19] [20 21 22 … 27 28 29] … [70 71 72 … 77 78 79] [80 81 82 … 87 88 89] [90 91 92 … 97 98 99]]": iota(10, 10),
		"u8[4,4,4] [[[0 … 3] … [12 … 15]] … [[48 … 51] … [60 … 63]]]":                                                                                 iota(4, 4, 4),
	} {
		if diff := cmp.Diff(want, show(v)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestIndex(t *testing.T) {
	for i, want := range []string{"[0,0,0]", "[0,0,1]", "[0,1,0]", "[0,1,1]", "[0,2,0]", "[0,2,1]", "[1,0,0]"} {
		if got := index(tensor.ShapeOf(tensor.U8, 2, 3, 2), i); got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
	if got := fmt.Sprint(index(tensor.ShapeOf(tensor.U8), 0)); got != "[]" {
		t.Errorf("scalar: %s", got)
	}
}
