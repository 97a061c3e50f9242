package mlirtest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// Operation is a struct that an operation is made of.
type Operation interface {
	Create(ip mlir.InsertionPoint, loc mlir.Location) (mlir.Operation, error)
}

// Sample is an operation to be made in a function, as its struct says it.
type Sample struct {
	Name    string
	Operand []string // types of the function's arguments
	Make    func(b *Body) Made
	Needs   string // a dialect besides its own, where that is not empty
	Around  string // text of the module that it is made in, where that is not empty
}

// Made is an operation's struct, and the function that reads one.
type Made struct {
	Operation Operation
	read      func(mlir.Operation) (any, bool)
}

// Of goes with a struct and its reader.
func Of[T Operation](o T, read func(mlir.Operation) (T, bool)) Made {
	return Made{o, func(op mlir.Operation) (any, bool) { return read(op) }}
}

// Body is the function that a sample stands in.
type Body struct {
	C     *mlir.Context
	Block mlir.Block
	In    []mlir.Value // its arguments
}

// Type parses a type.
func (b *Body) Type(text string) mlir.Type { return Type(b.C, text) }

// Types parses types.
func (b *Body) Types(texts ...string) []mlir.Type { return Types(b.C, texts...) }

// Attribute parses an attribute.
func (b *Body) Attribute(text string) mlir.Attribute { return Attribute(b.C, text) }

// Region is a region of one block with arguments of these types. Its terminator
// returns what the function gives.
func (b *Body) Region(types []string, result func(block mlir.Block, in []mlir.Value) []mlir.Value) mlir.Region {
	block := b.C.NewBlock(mlir.Location{}, b.Types(types...)...)
	var in []mlir.Value
	for _, v := range block.Arguments() {
		in = append(in, v)
	}
	values := result(block, in)
	check.Must(block.Create(mlir.OperationState{Name: "stablehlo.return", Operands: values}))
	region := b.C.NewRegion()
	region.Append(block)
	return region
}

// Returns is a region that returns its argument i.
func (b *Body) Returns(i int, types ...string) mlir.Region {
	return b.Region(types, func(_ mlir.Block, in []mlir.Value) []mlir.Value { return in[i : i+1] })
}

// Module makes the sample in a module of its own, in a function that returns the
// operation's results, and returns both.
func (s Sample) Module(c *mlir.Context) (*mlir.Module, mlir.Operation, Made, error) {
	m := check.Must(c.Parse("sample.mlir", []byte("module {"+s.Around+"}")))
	b := &Body{C: c}
	arguments := b.Types(s.Operand...)
	b.Block = c.NewBlock(mlir.Location{}, arguments...)
	for _, v := range b.Block.Arguments() {
		b.In = append(b.In, v)
	}
	made := s.Make(b)
	op, err := made.Operation.Create(b.Block, mlir.Location{})
	if err != nil {
		m.Close()
		return nil, op, made, err
	}
	var values []mlir.Value
	var results []mlir.Type
	for _, v := range op.Results() {
		values, results = append(values, v), append(results, v.Type())
	}
	if op.Name() != "stablehlo.return" {
		check.Must(b.Block.Create(mlir.OperationState{Name: "func.return", Operands: values}))
	}
	body := c.NewRegion()
	body.Append(b.Block)
	check.Must(m.Body().Create(mlir.OperationState{Name: "func.func", Regions: []mlir.Region{body}, Attributes: []mlir.NamedAttribute{
		{Name: "sym_name", Value: c.StringAttribute("main")},
		{Name: "function_type", Value: c.TypeAttribute(c.FunctionType(arguments, results))},
	}}))
	return m, op, made, nil
}

// Complete reports each operation of a dialect that neither has a sample nor is tested
// in another way, and each that the library lacks.
func Complete(t testing.TB, operations []string, samples []Sample, others ...string) {
	t.Helper()
	have := map[string]bool{}
	for _, name := range others {
		have[name] = true
	}
	for _, s := range samples {
		have[s.Name] = true
	}
	c := Context(t)
	for _, name := range operations {
		if !have[name] {
			t.Errorf("%s has no sample", name)
		}
		if !c.Registered(name) {
			t.Errorf("%s is not in the library", name)
		}
	}
}

// supported reports whether the library has what the sample needs.
func (s Sample) supported(c *mlir.Context) bool {
	return s.Needs == "" || c.LoadDialect(s.Needs) == nil
}

// RoundTrip makes the sample, verifies it, prints it, parses the text, and reads the
// operation there and here: all three structs are the same. Where the library lacks the
// dialect that the sample needs, there is nothing to make; where it lacks the operation,
// Create says so.
func (s Sample) RoundTrip(t *testing.T, c *mlir.Context) {
	t.Helper()
	if !s.supported(c) {
		return
	}
	if !c.Registered(s.Name) { // in another release of the dialect
		_, _, _, err := s.Module(c)
		check.Error(t, err, fmt.Sprintf("knows no operation %q", s.Name))
		return
	}
	m, op, made, err := s.Module(c)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	check.Diff(t, "name", s.Name, op.Name())
	if err := m.Verify(); err != nil {
		t.Fatalf("%v\n%s", err, m)
	}
	parsed, err := c.Parse("sample.mlir", []byte(m.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, m)
	}
	defer parsed.Close()
	check.Diff(t, "printed again", m.String(), parsed.String())
	here, ok := made.read(op)
	if !ok {
		t.Errorf("the operation is not read: %s", op)
	}
	var there any
	parsed.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() != s.Name {
			return mlir.WalkContinue
		}
		if there, ok = made.read(op); !ok {
			t.Errorf("the parsed operation is not read: %s", op)
		}
		return mlir.WalkStop
	})
	if d := cmp.Diff(any(made.Operation), here, same); d != "" {
		t.Errorf("what was made (-want +got):\n%s", d)
	}
	if d := cmp.Diff(any(made.Operation), there, same); d != "" {
		t.Errorf("what was parsed (-want +got):\n%s", d)
	}
	if v, ok := made.read(m.Operation()); ok {
		t.Errorf("a module is read as %v", v)
	}
}

// same compares structs of operations, also across modules: values, types and
// attributes by their text. Regions are the same where both are there; what is in them
// is compared in print.
var same = cmp.Options{
	cmp.Comparer(func(a, b mlir.Value) bool { return a.String() == b.String() }),
	cmp.Comparer(func(a, b mlir.Type) bool { return a.String() == b.String() }),
	cmp.Comparer(func(a, b mlir.Attribute) bool {
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.String() == b.String()
	}),
	cmp.Comparer(func(a, b mlir.Region) bool { return a.IsNil() == b.IsNil() }),
	cmpopts.EquateEmpty(),
}
