package llvm_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
)

func TestTypes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		i32, ptr := mlirtest.Type(c, "i32"), check.Must(llvm.PointerType(c, 0))
		for want, made := range map[string]mlir.Type{
			"!llvm.ptr":            check.Must(llvm.PointerType(c, 0)),
			"!llvm.ptr<3>":         check.Must(llvm.PointerType(c, 3)),
			"!llvm.void":           check.Must(llvm.VoidType(c)),
			"!llvm.array<4 x i32>": check.Must(llvm.Array{Element: i32, Len: 4}.Type(c)),
			"!llvm.array<0 x ptr>": check.Must(llvm.Array{Element: ptr}.Type(c)),
			"!llvm.func<void ()>":  check.Must(llvm.Function{}.Type(c)),
			"!llvm.func<i32 (ptr, ...)>": check.Must(
				llvm.Function{Result: i32, Params: []mlir.Type{ptr}, Variadic: true}.Type(c)),
			"!llvm.struct<()>": check.Must(llvm.Struct{}.Type(c)),
			"!llvm.struct<packed (i32, ptr)>": check.Must(
				llvm.Struct{Fields: []mlir.Type{i32, ptr}, Packed: true}.Type(c)),
			`!llvm.struct<"pair", (i32, i32)>`: check.Must(
				llvm.Struct{Name: "pair", Fields: []mlir.Type{i32, i32}}.Type(c)),
			`!llvm.struct<"unknown", opaque>`:           check.Must(llvm.Struct{Name: "unknown", Opaque: true}.Type(c)),
			`!llvm.struct<"pair_0", packed (ptr)>`:      mlirtest.Type(c, `!llvm.struct<"pair_0", packed (ptr)>`),
			"!llvm.array<2 x array<3 x struct<(i32)>>>": mlirtest.Type(c, "!llvm.array<2 x array<3 x struct<(i32)>>>"),
		} {
			check.Diff(t, "the text", want, made.String())
			if !made.Equal(mlirtest.Type(c, want)) {
				t.Errorf("%s does not parse to the same type", want)
			}
		}
	})
}

func TestReadTypes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		for _, text := range []string{"!llvm.array<7 x ptr>", "!llvm.array<2 x array<3 x i8>>"} {
			a := check.Must(llvm.ReadArray(mlirtest.Type(c, text)))
			check.Diff(t, "the array", text, check.Must(a.Type(c)).String())
		}
		for _, text := range []string{"!llvm.func<void ()>", "!llvm.func<i32 (i32, ptr<1>)>", "!llvm.func<ptr (...)>",
			"!llvm.func<void (i32, ...)>"} {
			f := check.Must(llvm.ReadFunction(mlirtest.Type(c, text)))
			check.Diff(t, "the function", text, check.Must(f.Type(c)).String())
		}
		for _, text := range []string{"!llvm.struct<()>", "!llvm.struct<packed (i8, ptr)>", `!llvm.struct<"a", (i8)>`,
			`!llvm.struct<"b", opaque>`} {
			s := check.Must(llvm.ReadStruct(mlirtest.Type(c, text)))
			check.Diff(t, "the struct", text, check.Must(s.Type(c)).String())
		}
		check.Diff(t, "the address space", 5, check.Must(llvm.AddressSpace(mlirtest.Type(c, "!llvm.ptr<5>"))))
		is := func(t mlir.Type) []bool {
			return []bool{llvm.IsPointer(t), llvm.IsVoid(t), llvm.IsArray(t), llvm.IsFunction(t), llvm.IsStruct(t)}
		}
		for text, want := range map[string][]bool{
			"!llvm.ptr<1>":                 {true, false, false, false, false},
			"!llvm.void":                   {false, true, false, false, false},
			"!llvm.array<1 x i8>":          {false, false, true, false, false},
			"!llvm.func<void ()>":          {false, false, false, true, false},
			"!llvm.struct<(ptr)>":          {false, false, false, false, true},
			"tensor<2x!llvm.ptr>":          {false, false, false, false, false},
			"(i32) -> !llvm.array<1 x i8>": {false, false, false, false, false},
		} {
			check.Diff(t, text, want, is(mlirtest.Type(c, text)))
		}
		check.Diff(t, "the zero type", make([]bool, 5), is(mlir.Type{}))
	})
}

// TestRecursiveStruct makes struct node { next: array of node, payload }.
func TestRecursiveStruct(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		node := check.Must(llvm.NamedStruct(c, "node"))
		check.Diff(t, "without a body", llvm.Struct{Name: "node", Opaque: true}, check.Must(llvm.ReadStruct(node)))
		fields := []mlir.Type{check.Must(llvm.Array{Element: check.Must(llvm.PointerType(c, 0)), Len: 2}.Type(c)),
			mlirtest.Type(c, "i64")}
		check.NoError(t, llvm.SetBody(node, fields, false))
		check.Diff(t, "the text", `!llvm.struct<"node", (array<2 x ptr>, i64)>`, node.String())
		if err := llvm.SetBody(node, fields, false); err != nil {
			t.Errorf("the same body again: %v", err)
		}
		check.Error(t, llvm.SetBody(node, fields, true), "already has another body")
		_, err := llvm.Struct{Name: "node"}.Type(c)
		check.Error(t, err, "already has another body")
		fresh := check.Must(llvm.NewStruct(c, "node", fields, false))
		if fresh.Equal(node) || check.Must(llvm.ReadStruct(fresh)).Name == "node" {
			t.Errorf("NewStruct returned the old struct %s", fresh)
		}
	})
}

func TestRefusedTypes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		void, i32 := check.Must(llvm.VoidType(c)), mlirtest.Type(c, "i32")
		tests := []struct {
			name, want string
			make       func() (mlir.Type, error)
		}{
			{"address space", "an address space must be",
				func() (mlir.Type, error) { return llvm.PointerType(c, 1<<24) }},
			{"negative space", "an address space must be",
				func() (mlir.Type, error) { return llvm.PointerType(c, -1) }},
			{"length", "cannot have -1 elements", func() (mlir.Type, error) { return llvm.Array{i32, -1}.Type(c) }},
			{"long", "elements", func() (mlir.Type, error) { return llvm.Array{i32, 1 << 32}.Type(c) }},
			{"array of void", "cannot be in an array",
				func() (mlir.Type, error) { return llvm.Array{void, 1}.Type(c) }},
			{"void field", "cannot be in an array or a struct", func() (mlir.Type, error) {
				return llvm.Struct{Fields: []mlir.Type{void}}.Type(c)
			}},
			{"void field by name", "cannot be in", func() (mlir.Type, error) {
				return llvm.Struct{Name: "v", Fields: []mlir.Type{void}}.Type(c)
			}},
			{"void parameter", "void",
				func() (mlir.Type, error) { return llvm.Function{Params: []mlir.Type{void}}.Type(c) }},
			{"function result", "func", func() (mlir.Type, error) {
				return llvm.Function{Result: check.Must(llvm.Function{}.Type(c))}.Type(c)
			}},
			{"opaque without a name", "an opaque struct",
				func() (mlir.Type, error) { return llvm.Struct{Opaque: true}.Type(c) }},
			{"no name", "needs a name", func() (mlir.Type, error) { return llvm.NamedStruct(c, "") }},
			{"new without a name", "needs a name",
				func() (mlir.Type, error) { return llvm.NewStruct(c, "", nil, false) }},
			{"body of a literal", "has no name", func() (mlir.Type, error) {
				s := check.Must(llvm.Struct{}.Type(c))
				return s, llvm.SetBody(s, nil, false)
			}},
			{"body of an integer", "is not a struct type",
				func() (mlir.Type, error) { return i32, llvm.SetBody(i32, nil, false) }},
			{"body of an opaque one", "has another body", func() (mlir.Type, error) {
				s := check.Must(llvm.Struct{Name: "o", Opaque: true}.Type(c))
				return s, llvm.SetBody(s, []mlir.Type{i32}, false)
			}},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				_, err := test.make()
				check.Error(t, err, test.want)
			})
		}
		for name, read := range map[string]func(mlir.Type) error{
			"an array":   func(t mlir.Type) error { _, err := llvm.ReadArray(t); return err },
			"a function": func(t mlir.Type) error { _, err := llvm.ReadFunction(t); return err },
			"a struct":   func(t mlir.Type) error { _, err := llvm.ReadStruct(t); return err },
			"a pointer":  func(t mlir.Type) error { _, err := llvm.AddressSpace(t); return err },
		} {
			check.Error(t, read(i32), "i32 is not "+name)
			check.Panics(t, "called on a zero value", func() { read(mlir.Type{}) })
		}
	})
}

func TestMisuse(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		other := c.Library().NewContext(mlir.ContextOptions{})
		i32, array := mlirtest.Type(other, "i32"), mlirtest.Type(other, "!llvm.array<1 x i8>")
		const strange = "was given a type of another context"
		check.Panics(t, strange, func() { llvm.Array{i32, 1}.Type(c) })
		check.Panics(t, strange, func() { llvm.Struct{Fields: []mlir.Type{i32}}.Type(c) })
		check.Panics(t, strange, func() { llvm.Function{Result: i32}.Type(c) })
		check.Panics(t, "called on a zero value", func() { llvm.Array{}.Type(c) })
		other.Close()
		check.Panics(t, "called after Context.Close", func() { llvm.ReadArray(array) })
		check.Panics(t, "called after Context.Close", func() { llvm.IsArray(array) })
		check.Panics(t, "called after Context.Close", func() { llvm.PointerType(other, 0) })
	})
}

func ExampleStruct() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	ptr, err := llvm.PointerType(c, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(llvm.Struct{Name: "span", Fields: []mlir.Type{ptr, c.IntegerType(64, mlir.Signless)}}.Type(c))
	// Output: !llvm.struct<"span", (ptr, i64)> <nil>
}
