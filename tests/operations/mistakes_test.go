package operations_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/cf"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

// TestMistakesDoNotCompile checks that the compiler refuses mistakes that are strings in
// other bindings.
func TestMistakesDoNotCompile(t *testing.T) {
	const before = `package p

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

var _, _, _ = arith.AddF, memref.Load, scf.For

func f(b *mlir.Builder, x mlir.Value, t mlir.Type, block mlir.Block) {
	`
	fset := token.NewFileSet()
	load := importer.ForCompiler(fset, "gc", exports(t))
	for statement, want := range map[string]string{
		"arith.AddF(b, x, x)":                                  "",
		"arith.Addf(b, x, x)":                                  "undefined: arith.Addf", // the operation's name
		"arith.AddF(b, x)":                                     "not enough arguments",  // an operand
		"arith.AddF(b, x, x, x)":                               "too many arguments",
		"arith.AddF(b, t, x)":                                  "cannot use t",     // a type for a value
		"arith.CmpI(b, \"slt\", x, x)":                         "cannot use",       // text for an enumeration
		"arith.CmpI(b, arith.CmpFPredicateOLT, x, x)":          "cannot use",       // the other enumeration
		"arith.CmpI(b, arith.CmpIPredicateLess, x, x)":         "undefined",        // a case
		"arith.AddFOp{LHS: x, RHS: x, FastMaths: 1}.Create(b)": "unknown field",    // the attribute's name
		"memref.AllocOp{Alignment: \"8\"}.Create(b)":           "cannot use",       // the attribute's kind
		"memref.AllocOp{DynamicSizes: x}.Create(b)":            "cannot use x",     // a value for several
		"scf.For(b, x, x, x, func() {})":                       "cannot use (func", // the body's arguments
		// the result of an operation without one
		"var _ mlir.Value = memref.Store(b, x, x)": "cannot use",
	} {
		file, err := parser.ParseFile(fset, "p.go", before+statement+"\n}\n", 0)
		check.NoError(t, err)
		var first error
		config := types.Config{Importer: load, Error: func(err error) {
			if first == nil {
				first = err
			}
		}}
		_, _ = config.Check("p", fset, []*ast.File{file}, nil)
		switch {
		case want == "":
			check.NoError(t, first)
		case first == nil:
			t.Errorf("%s compiles", statement)
		default:
			check.Error(t, first, want)
		}
	}
}

// exports returns a function that opens the compiled form of a package that this test uses.
func exports(t *testing.T) func(path string) (io.ReadCloser, error) {
	list := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}",
		"../../mlir/dialect/arith", "../../mlir/dialect/memref", "../../mlir/dialect/scf")
	files := map[string]string{}
	for line := range strings.Lines(string(check.Must(list.Output()))) {
		if path, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			files[path] = file
		}
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}

// TestMistakesNameTheLine checks that mistakes that compile are errors with the Go line.
func TestMistakesNameTheLine(t *testing.T) {
	c, other := mlirtest.Context(t), mlirtest.Context(t)
	foreign := arith.ConstantIndex(mlir.NewBuilder(other.NewModule(mlir.Location{}).Body(), mlir.Location{}), 1)
	for name, test := range map[string]struct {
		do   func(b *mlir.Builder, in []mlir.Value)
		want string
	}{
		"a value of another context": {func(b *mlir.Builder, in []mlir.Value) { arith.AddI(b, in[0], foreign) },
			"a value of another context"},
		"no value": {func(b *mlir.Builder, in []mlir.Value) { arith.AddI(b, in[0], mlir.Value{}) },
			"arith.addi: the operand rhs is missing"},
		"no case": {func(b *mlir.Builder, in []mlir.Value) { arith.CmpI(b, 0, in[0], in[0]) },
			"arith.cmpi: predicate: 0 is no CmpIPredicate: use one of eq, ne"},
		"no type": {func(b *mlir.Builder, in []mlir.Value) { memref.Alloc(b, mlir.Type{}, nil) },
			"memref.alloc: the type of the result memref is missing"},
		"no block": {func(b *mlir.Builder, in []mlir.Value) { cf.Branch(b, nil, mlir.Block{}) },
			"cf.br: the successor dest is missing"},
		"the kind of an operand": {func(b *mlir.Builder, in []mlir.Value) { memref.Load(b, in[0]) },
			"operand 0 of memref.load must be memref, not i32"},
		"different operands": {func(b *mlir.Builder, in []mlir.Value) { arith.AddI(b, in[0], in[1]) },
			"requires the same type for all operands and results"},
		"an integer for a float": {func(b *mlir.Builder, in []mlir.Value) { arith.AddF(b, in[0], in[0]) },
			"must be floating-point-like"},
		"no number": {func(b *mlir.Builder, in []mlir.Value) { arith.ConstantFloat(b, in[0].Type(), 1) },
			"the type i32, which is not a floating-point type"},
		"no integer": {func(b *mlir.Builder, in []mlir.Value) { arith.ConstantInt(b, b.Type("f32"), 1) },
			"the type f32, which is not an integer or index type"},
		"a large integer": {func(b *mlir.Builder, in []mlir.Value) { arith.ConstantInt(b, b.Type("i8"), 300) },
			"300 does not fit in i8"},
		"a float of another range": {func(b *mlir.Builder, in []mlir.Value) {
			arith.ConstantFloat(b, b.Type("f4E2M1FN"), math.NaN())
		}, "f4E2M1FN cannot represent NaN"},
		"a constant of no type": {func(b *mlir.Builder, in []mlir.Value) { arith.ConstantInt(b, mlir.Type{}, 1) },
			"called on a zero value"},
		"an integer of another element": {func(b *mlir.Builder, in []mlir.Value) {
			arith.ConstantInt(b, b.Type("vector<4xf32>"), 1)
		}, "the type f32, which is not an integer or index type"},
		"a large element": {func(b *mlir.Builder, in []mlir.Value) {
			arith.ConstantInt(b, b.Type("tensor<4xi8>"), 300)
		}, "300 does not fit in i8"},
		"a splat of unknown size": {func(b *mlir.Builder, in []mlir.Value) {
			arith.ConstantFloat(b, b.Type("tensor<?xf32>"), 1)
		}, "tensor<?xf32>"},
		"too few elements": {func(b *mlir.Builder, in []mlir.Value) {
			arith.ConstantDense(b, b.Type("tensor<4xf32>"), []float32{1, 2})
		}, "2 values cannot fill tensor<4xf32>, which has 4 elements"},
		"elements of another type": {func(b *mlir.Builder, in []mlir.Value) {
			arith.ConstantDense(b, b.Type("tensor<2xf32>"), []float64{1, 2})
		}, "float64 does not hold an element of tensor<2xf32>"},
		"elements of no type": {func(b *mlir.Builder, in []mlir.Value) {
			arith.ConstantDense(b, mlir.Type{}, []float64{1, 2})
		}, "called on a zero value"},
		"a type that cannot be made": {func(b *mlir.Builder, in []mlir.Value) {
			arith.ConstantDense(b, b.CheckedType(b.Context().TensorType(b.Type("f32"), -7)), []float32{1})
		}, "-7"},
		"an attribute that cannot be made": {func(b *mlir.Builder, in []mlir.Value) {
			memref.GlobalOp{SymName: "g", Type: b.Type("memref<2xf32>"),
				InitialValue: b.CheckedAttribute(mlir.NewDense(b.Type("tensor<2xf32>"), []float32{1}))}.Create(b)
		}, "1 values cannot fill tensor<2xf32>, which has 2 elements"},
		"no function": {func(b *mlir.Builder, in []mlir.Value) { scf.Choose(b, in[0], nil, nil) },
			"the function that builds the body is nil"},
	} {
		m := c.NewModule(mlir.Location{})
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		function.Func(b, "f", []mlir.Type{b.Type("i32"), b.Type("i64")}, nil, func(in []mlir.Value) {
			test.do(b, in)
			// nothing panics after the mistake
			scf.For(b, in[0], in[0], in[0], func(i mlir.Value) { arith.AddI(b, i, i) })
			function.Return(b)
		})
		err := b.Err()
		if err == nil {
			err = m.Verify()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), "mistakes_test.go:") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
