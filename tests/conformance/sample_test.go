package conformance

import (
	"embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// sample is one use of an operation.
type sample struct {
	op    string                     // without the dialect
	about string                     // what it is about, besides the operation
	in    []string                   // arguments; with replicas, those of the first, then of the next
	build func(b *body) []mlir.Value // makes the operation of b.In; what it returns is compared
	want  []string                   // results by the specification, where that says enough
	ulps  float64                    // how many units in the last place results may differ; 0 is 4
	// reference says that arguments and results stand in testdata/reference.json, under
	// the sample's name.
	reference bool
	replicas  int // devices that all run it; 0 is one
	// What one of the two is known to say instead of what is wanted, and why.
	interpreterSays, xlaSays []string
	departs                  string
	// Why the interpreter or XLA cannot run it; empty where they can.
	notInterpreted, notXLA string
	around                 string // text of the module that it is made in
	// quantized says that it needs the quant dialect, and that its quantized numbers are
	// made integers by StableHLO's own pass before anything runs it.
	quantized bool
	// prepared says that it is newer than the oldest plugin, so that it is written for a later version, after
	// passes.Prepare, which rewrites what no plugin has.
	prepared bool
}

func (s *sample) name() string {
	if s.about == "" {
		return s.op
	}
	return s.op + " " + s.about
}

func in(arrays ...string) []string { return arrays }

// body is where a sample makes its operation.
type body struct {
	*mlirtest.Body
	goType map[string]string // of the structs that operations were made of
	made   map[string]bool   // names of the operations
}

// op makes an operation at the end of the function and returns its results.
func (b *body) op(o mlirtest.Operation) (results []mlir.Value) { return b.at(b.Block, o) }

func (b *body) at(block mlir.Block, o mlirtest.Operation) []mlir.Value {
	made := check.Must(mlirtest.Create(block, o))
	b.goType[made.Name()] = goName(o)
	b.made[made.Name()] = true
	return made.ResultValues()
}

// elementwise is an operation by its name without the dialect.
type elementwise struct {
	name     string
	operands []mlir.Value
}

func (o elementwise) Create(b *mlir.Builder) mlir.Operation {
	return b.Create(mlir.OperationState{Name: "stablehlo." + o.name, Operands: o.operands, InferResults: true})
}

// goName is the name of the struct of package stablehlo.
func goName(o mlirtest.Operation) (name string) {
	e, ok := o.(elementwise)
	if !ok {
		return reflect.TypeOf(o).Name()
	}
	for word := range strings.SplitSeq(e.name, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name + "Op"
}

// one is for operations of one result.
func (b *body) one(o mlirtest.Operation) mlir.Value { return b.op(o)[0] }

// region is a region of one block that returns what f returns.
func (b *body) region(types []string, f func(block mlir.Block, in []mlir.Value) []mlir.Value) mlir.Region {
	return b.Region(types, f)
}

// fold is a region of two scalars that go into one operation.
func (b *body) fold(op string, scalar string) mlir.Region {
	return b.region([]string{scalar, scalar}, func(block mlir.Block, in []mlir.Value) []mlir.Value {
		return b.at(block, elementwise{op, in})
	})
}

// compare is a region that compares its first two arguments.
func (b *body) compare(d stablehlo.ComparisonDirection, types ...string) mlir.Region {
	return b.region(types, func(block mlir.Block, in []mlir.Value) []mlir.Value {
		return b.at(block, stablehlo.CompareOp{LHS: in[0], RHS: in[1], ComparisonDirection: d})
	})
}

// gives is a region without arguments that returns values from outside.
func (b *body) gives(values ...mlir.Value) mlir.Region {
	return b.region(nil, func(mlir.Block, []mlir.Value) []mlir.Value { return values })
}

// constant makes a constant of an array's text.
func (b *body) constant(text string) mlir.Value {
	return b.one(stablehlo.ConstantOp{Value: check.Must(array(text))})
}

// likeElements is the type of tensors of v's elements with other dimensions.
func (b *body) likeElements(v mlir.Value, dims ...int) mlir.Type {
	s := check.Must(stablehlo.ShapeOf(v.Type()))
	return check.Must(stablehlo.TensorType(b.C, tensor.ShapeOf(s.DType, dims...)))
}

//go:embed testdata/reference.json
var data embed.FS

// reference is what testdata/make.py wrote down of a sample.
type reference struct {
	Judge   string   // "NumPy", "JAX" or "SciPy"
	In, Out []string // arrays
}

var references = sync.OnceValues(func() (map[string]reference, error) {
	text, err := data.ReadFile("testdata/reference.json")
	if err != nil {
		return nil, err
	}
	all := map[string]reference{}
	return all, json.Unmarshal(text, &all)
})

// arguments are the sample's arguments as arrays.
func (s *sample) arguments() ([]tensor.View, error) {
	list := s.in
	if s.reference {
		all, err := references()
		if err != nil {
			return nil, err
		}
		list = all[s.name()].In
	}
	return arrays(list)
}

// wanted are the results by the specification or by the reference, nil where there are
// none, and who says so.
func (s *sample) wanted() ([]tensor.View, string, error) {
	if !s.reference {
		if s.want == nil {
			return nil, "", nil
		}
		list, err := arrays(s.want)
		return list, "specification", err
	}
	all, err := references()
	if err != nil {
		return nil, "", err
	}
	r, ok := all[s.name()]
	if !ok {
		return nil, "", fmt.Errorf("testdata/reference.json has no %q", s.name())
	}
	list, err := arrays(r.Out)
	return list, r.Judge, err
}

func arrays(texts []string) (list []tensor.View, err error) {
	for _, text := range texts {
		v, err := array(text)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}
