package tree_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/run/tree"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

type small int8

func TestEach(t *testing.T) {
	type branch struct{ Step, Key, Value string }
	text := func(v reflect.Value) string {
		if !v.IsValid() {
			return ""
		}
		return reflect.ValueOf(v.Interface()).String()
	}
	for _, test := range []struct {
		tree any
		want []branch
	}{
		{struct{ Zeta, Alpha string }{"z", "a"}, []branch{{".Zeta", "", "z"}, {".Alpha", "", "a"}}},
		{struct{}{}, nil},
		{[2]string{"a", "b"}, []branch{{"[0]", "", "a"}, {"[1]", "", "b"}}},
		{[]string{"b", "a"}, []branch{{"[0]", "", "b"}, {"[1]", "", "a"}}},
		{[]string(nil), nil},
		{map[string]string{"b": "1", "a": "2", "B": "3", "ä\n": "4", "": "5"}, []branch{
			{`[""]`, "", "5"}, {`["B"]`, "B", "3"}, {`["a"]`, "a", "2"}, {`["b"]`, "b", "1"}, {`["ä\n"]`, "ä\n", "4"}}},
		{map[small]string{10: "c", 9: "b", -1: "a"}, []branch{{"[-1]", "<tree_test.small Value>", "a"},
			{"[9]", "<tree_test.small Value>", "b"}, {"[10]", "<tree_test.small Value>", "c"}}},
		{map[uint64]string{1 << 63: "b", 9: "a"},
			[]branch{{"[9]", "<uint64 Value>", "a"}, {"[9223372036854775808]", "<uint64 Value>", "b"}}},
		{map[string]string(nil), nil},
	} {
		v := reflect.New(reflect.TypeOf(test.tree)).Elem()
		v.Set(reflect.ValueOf(test.tree))
		check.Report(t, tree.Check(v.Type(), "x", "leaves"))
		var got []branch
		err := tree.Each(v, "x", "leaves", func(i int, b tree.Branch) error {
			if !b.Value.CanAddr() || i != len(got) {
				t.Errorf("%T: branch %d, %s, has no address, or is not the next", test.tree, i, b.At)
			}
			got = append(got, branch{strings.TrimPrefix(b.At, "x"), text(b.Key), text(b.Value)})
			return nil
		})
		check.Report(t, err)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%T (-want +got):\n%s", test.tree, diff)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		tree any
		want string
	}{
		{struct{ A, b int }{}, "the field b of struct { A int; b int } is not exported"},
		{map[float64]int{}, "x.y is a map with keys of type float64: use strings or integers, which have an order"},
		{map[uintptr]int{}, "x.y is a map with keys of type uintptr: use strings or integers, which have an order"},
		{map[bool]int{}, "x.y is a map with keys of type bool: use strings or integers, which have an order"},
		{new(int), "x.y is a *int, which cannot be part of a tree: use leaves, structs, slices, arrays and maps"},
		{3, "x.y is a int, which cannot be part of a tree: use leaves, structs, slices, arrays and maps"},
	} {
		for name, err := range map[string]error{
			"Check": tree.Check(reflect.TypeOf(test.tree), "x.y", "leaves"),
			"Each": tree.Each(reflect.ValueOf(test.tree), "x.y", "leaves",
				func(_ int, b tree.Branch) error { return nil }),
		} {
			if err == nil || err.Error() != test.want {
				t.Errorf("the error of %s is %v, want %s", name, err, test.want)
			}
		}
	}
}
