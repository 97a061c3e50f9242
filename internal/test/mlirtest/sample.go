package mlirtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// An Operation is a struct from which an operation is created.
type Operation interface {
	Create(b *mlir.Builder) mlir.Operation
}

// Create creates an operation without a location.
func Create(ip mlir.InsertionPoint, o Operation) (mlir.Operation, error) {
	return CreateAt(ip, mlir.ContextOf(ip).UnknownLocation(), o)
}

// CreateAt creates an operation with a location.
func CreateAt(ip mlir.InsertionPoint, loc mlir.Location, o Operation) (mlir.Operation, error) {
	b := mlir.NewBuilder(ip, loc)
	op := o.Create(b)
	if failed, ok := b.Err().(*mlir.BuildError); ok {
		return mlir.Operation{}, failed.Err
	}
	return op, nil
}

// A Sample describes an operation to create in a function.
type Sample struct {
	Name    string
	Operand []string // types of the function's arguments
	Make    func(b *Body) Made
	Needs   string // a further dialect that it needs, or ""
	Around  string // text in the module around it, or ""
}

// A Made is an operation's struct, and the function that reads one.
type Made struct {
	Operation Operation
	read      func(mlir.Operation) (any, bool)
}

// Of returns a Made with a struct and its reader.
func Of[T Operation](o T, read func(mlir.Operation) (T, bool)) Made {
	return Made{o, func(op mlir.Operation) (any, bool) { return read(op) }}
}

// A Body is the function of a sample.
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

// Region returns a region of one block with arguments of these types. Its terminator returns
// the results of the function.
func (b *Body) Region(types []string, result func(block mlir.Block, in []mlir.Value) []mlir.Value) mlir.Region {
	block := b.C.NewBlock(mlir.Location{}, b.Types(types...)...)
	in := block.ArgumentValues()
	values := result(block, in)
	check.Must(mlir.Create(block, mlir.OperationState{Name: "stablehlo.return", Operands: values}))
	region := b.C.NewRegion()
	region.Append(block)
	return region
}

// Returns returns a region that returns its argument i.
func (b *Body) Returns(i int, types ...string) mlir.Region {
	return b.Region(types, func(_ mlir.Block, in []mlir.Value) []mlir.Value { return in[i : i+1] })
}

// Module creates the sample in a new module, in a function that returns the operation's
// results. It returns the module, the operation and its struct.
func (s Sample) Module(c *mlir.Context) (*mlir.Module, mlir.Operation, Made, error) {
	m := check.Must(c.Parse("sample.mlir", []byte("module {"+s.Around+"}")))
	b := &Body{C: c}
	arguments := b.Types(s.Operand...)
	b.Block = c.NewBlock(mlir.Location{}, arguments...)
	b.In = b.Block.ArgumentValues()
	made := s.Make(b)
	op, err := Create(b.Block, made.Operation)
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
		check.Must(mlir.Create(b.Block, mlir.OperationState{Name: "func.return", Operands: values}))
	}
	body := c.NewRegion()
	body.Append(b.Block)
	check.Must(mlir.Create(m.Body(),
		mlir.OperationState{Name: "func.func", Regions: []mlir.Region{body}, Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: c.StringAttribute("main")},
			{Name: "function_type", Value: c.TypeAttribute(c.FunctionType(arguments, results))},
		}}))
	return m, op, made, nil
}

// Complete reports each operation of a dialect that has no sample and is not in others, and each
// that the library lacks.
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
			t.Errorf("the library lacks %s", name)
		}
	}
}

// supported reports whether the library has the dialect that the sample needs.
func (s Sample) supported(c *mlir.Context) bool {
	return s.Needs == "" || c.LoadDialect(s.Needs) == nil
}

// RoundTrip creates the sample, verifies and prints it, parses the text, reads the operation in
// both modules, and checks that all three structs are the same. If the library lacks the
// dialect that the sample needs, it does nothing. If the library lacks the operation, it checks
// the error of Create.
func (s Sample) RoundTrip(t *testing.T, c *mlir.Context) {
	t.Helper()
	if !s.supported(c) {
		return
	}
	if !c.Registered(s.Name) { // in another release of the dialect
		for _, operand := range s.Operand {
			if _, err := c.ParseType(operand); err != nil {
				return // its type is in that release, too
			}
		}
		_, _, _, err := s.Module(c)
		check.Error(t, err, fmt.Sprintf("does not know the operation %q", s.Name))
		return
	}
	m, op, made, err := s.Module(c)
	check.NoError(t, err)
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
		t.Errorf("created (-want +got):\n%s", d)
	}
	if d := cmp.Diff(any(made.Operation), there, same); d != "" {
		t.Errorf("parsed (-want +got):\n%s", d)
	}
	if v, ok := made.read(m.Operation()); ok {
		t.Errorf("a module is read as %v", v)
	}
}

// same compares structs of operations, also of different modules: values, types and attributes
// by their text. Regions are the same if both are set. Their content is compared in the
// printed modules. A type that one of them leaves out is the inferred one.
var same = cmp.Options{
	cmp.Comparer(func(a, b mlir.Value) bool { return a.String() == b.String() }),
	cmp.Comparer(func(a, b mlir.Type) bool { return a.IsNil() || b.IsNil() || a.String() == b.String() }),
	cmp.Comparer(func(a, b []mlir.Type) bool {
		return a == nil || b == nil || slices.EqualFunc(a, b, sameText[mlir.Type])
	}),
	cmp.Comparer(func(a, b mlir.Attribute) bool {
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.String() == b.String()
	}),
	cmp.Comparer(func(a, b mlir.Region) bool { return a.IsNil() == b.IsNil() }),
	cmpopts.EquateEmpty(),
}

func sameText[T fmt.Stringer](a, b T) bool { return a.String() == b.String() }
