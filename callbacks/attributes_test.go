package callbacks_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

type inner struct {
	Size int     `attr:"size"`
	Name *string `attr:"name"`
}

type decoded struct {
	Flag   bool                 `attr:"flag"`
	Text   string               `attr:"text"`
	I8     int8                 `attr:"i8"`
	I      int                  `attr:"i"`
	U16    uint16               `attr:"u16"`
	F32    float32              `attr:"f32"`
	F64    float64              `attr:"f64"`
	Words  []int64              `attr:"words"`
	Small  []int32              `attr:"small"`
	Floats []float64            `attr:"floats"`
	Flags  []bool               `attr:"flags"`
	Inner  inner                `attr:"inner"`
	Dict   callbacks.Attributes `attr:"dict"`
	Any    any                  `attr:"any"`
	Maybe  *int64               `attr:"maybe"`
	Often  int                  `attr:"often,optional"`
	Not    chan int             `attr:"-"`
}

// complete returns attributes for every field that needs one.
func complete() callbacks.Attributes {
	return callbacks.Attributes{
		{"flag", true}, {"text", "x"}, {"i8", int64(-5)}, {"i", uint64(7)}, {"u16", int32(9)}, {"f32", float32(0.5)},
		{"f64", float32(0.25)},
		{"words", []int64{1, 2}}, {"small", []int64{3}}, {"floats", []float32{0.5}}, {"flags", []bool{true}},
		{"inner", callbacks.Attributes{{"size", int32(3)}}}, {"dict", callbacks.Attributes{{"a", int8(1)}}},
		{"any", nil},
	}
}

func TestDecodeAttributes(t *testing.T) {
	got := decoded{Often: 3}
	check.NoError(t, complete().Decode(&got))
	want := decoded{
		Flag: true, Text: "x", I8: -5, I: 7, U16: 9, F32: 0.5, F64: 0.25, Words: []int64{1, 2}, Small: []int32{3},
		Floats: []float64{0.5},
		Flags:  []bool{true}, Inner: inner{Size: 3}, Dict: callbacks.Attributes{{"a", int8(1)}}, Often: 3,
	}
	check.Diff(t, "decoded", fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
	check.NoError(t, append(complete(), callbacks.Attribute{Name: "maybe", Value: uint8(4)},
		callbacks.Attribute{Name: "often", Value: int64(5)}).Decode(&got))
	if got.Maybe == nil || *got.Maybe != 4 || got.Often != 5 {
		t.Errorf("the optional fields are %v and %d", got.Maybe, got.Often)
	}
}

func TestDecodeAttributesErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		want  callbacks.AttributeError
		text  string
	}{
		{"flag", int64(1), callbacks.AttributeError{Name: "flag", Want: "a bool", Got: "an int64"},
			`callbacks: the attribute "flag" must be a bool, not an int64`},
		{"text", []int64{1}, callbacks.AttributeError{Name: "text", Want: "a string", Got: "an array of int64"}, ""},
		{"i8", int64(128), callbacks.AttributeError{Name: "i8", Want: "an int8", Got: "128, which does not fit"},
			`callbacks: the attribute "i8" must be an int8, not 128, which does not fit`},
		{"i8", uint64(math.MaxUint64),
			callbacks.AttributeError{Name: "i8", Want: "an int8", Got: "18446744073709551615, which does not fit"}, ""},
		{"i8", 0.5, callbacks.AttributeError{Name: "i8", Want: "an int8", Got: "a float64"}, ""},
		{"u16", int64(-1), callbacks.AttributeError{Name: "u16", Want: "a uint16", Got: "-1, which does not fit"}, ""},
		{"u16", uint32(1 << 16),
			callbacks.AttributeError{Name: "u16", Want: "a uint16", Got: "65536, which does not fit"}, ""},
		{"f32", 0.5, callbacks.AttributeError{Name: "f32", Want: "a float32", Got: "a float64"}, ""},
		{"f64", int64(1), callbacks.AttributeError{Name: "f64", Want: "a float64", Got: "an int64"}, ""},
		{"words", int64(1), callbacks.AttributeError{Name: "words", Want: "an array of int64", Got: "an int64"}, ""},
		{"words", []float32{},
			callbacks.AttributeError{Name: "words", Want: "an array of int64", Got: "an array of float32"}, ""},
		{"small", []int64{1, 1 << 40}, callbacks.AttributeError{Name: "small", Want: "an array of int32",
			Got: "1099511627776, which does not fit"}, ""},
		{"flags", nil,
			callbacks.AttributeError{Name: "flags", Want: "an array of bool", Got: "a value of an unknown type"}, ""},
		{"inner", "x", callbacks.AttributeError{Name: "inner", Want: "a dictionary", Got: "a string"}, ""},
		{"inner", callbacks.Attributes{{"size", "x"}},
			callbacks.AttributeError{Name: "inner.size", Want: "an int", Got: "a string"}, ""},
		{"inner", callbacks.Attributes{}, callbacks.AttributeError{Name: "inner.size", Want: "an int"},
			`callbacks: the attribute "inner.size" is missing: it must be an int`},
		{"inner", callbacks.Attributes{{"size", int8(1)}, {"width", int8(1)}},
			callbacks.AttributeError{Name: "inner.width", Got: "an int8"},
			`callbacks: unknown attribute "inner.width": no field takes it (it is an int8)`},
		{"dict", true, callbacks.AttributeError{Name: "dict", Want: "a dictionary", Got: "a bool"}, ""},
		{"i", callbacks.Attributes{}, callbacks.AttributeError{Name: "i", Want: "an int", Got: "a dictionary"}, ""},
		{"dict", []int8{}, callbacks.AttributeError{Name: "dict", Want: "a dictionary", Got: "an array of int8"}, ""},
		{"more", "x", callbacks.AttributeError{Name: "more", Got: "a string"}, ""},
	} {
		list := complete()
		found := false
		for i := range list {
			if list[i].Name == c.name {
				list[i].Value, found = c.value, true
			}
		}
		if !found {
			list = append(list, callbacks.Attribute{Name: c.name, Value: c.value})
		}
		err := check.As[*callbacks.AttributeError](t, list.Decode(new(decoded)))
		check.Diff(t, c.name, c.want, *err)
		if c.text != "" {
			check.Text(t, err, c.text)
		}
	}
	for _, to := range []any{nil, 1, decoded{}, (*decoded)(nil), new(int)} {
		check.Panics(t, "needs a pointer to a struct", func() { _ = complete().Decode(to) })
	}
	check.Panics(t, "needs a tag", func() { _ = complete().Decode(&struct{ A int }{}) })
	check.Panics(t, "needs a tag", func() {
		_ = complete().Decode(&struct {
			A int `attr:"a,always"`
		}{})
	})
	check.Panics(t, "cannot set a chan int", func() {
		_ = complete().Decode(&struct {
			A chan int `attr:"a"`
		}{})
	})
	check.Panics(t, "cannot set a []string", func() {
		_ = complete().Decode(&struct {
			A []string `attr:"a"`
		}{})
	})
}
