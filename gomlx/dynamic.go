package gomlx

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	ir "github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A computation with dynamic axes is built twice, each time with other sizes in their place. So each module is static,
// MLIR infers its shapes, and what differs between the two is dynamic. For the sizes of an execution the steps are made
// once more.

// axis is a dynamic axis of a value.
type axis struct{ value, number int }

// standIn returns the size that the n-th dynamic axis has in a trace. It has many divisors, so that axes can be split,
// and sums and products of such sizes are different ones.
func standIn(n, trace int) int {
	const divisible = 840 // by 1 to 8
	primes := []int{11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71}
	return divisible * primes[(2*n+trace)%len(primes)] * (1 + 2*n/len(primes)*73)
}

// open returns the shape of a parameter. A dynamic axis of main that has a new name becomes one of the computation.
func (f *function) open(s shapes.Shape) (shapes.Shape, error) {
	if !s.IsDynamic() {
		return s, nil
	}
	b := f.builder
	if !b.backend.dynamic {
		return s, fmt.Errorf("%s has dynamic axes: open the backend with the option dynamic, GOMLX_BACKEND=%s:dynamic", s,
			Name)
	}
	s = s.Clone()
	for i, d := range s.Dimensions {
		name := axisName(s, i)
		switch {
		case d != shapes.DynamicDim:
			continue
		case name == "":
			return s, fmt.Errorf("axis %d of %s is dynamic and has no name: use shapes.MakeDynamic", i, s)
		case name == shapes.AnonymousAxis:
			name = b.newName()
			s.AxisNames[i] = name
		}
		if _, known := b.axes[name]; !known && f != b.main {
			return s, fmt.Errorf("no parameter of the computation has the dynamic axis %q of %s", name, s)
		} else if !known {
			b.openAxis(name)
		}
	}
	return s, nil
}

// axisName returns the name of an axis, of which a shape may have too few.
func axisName(s shapes.Shape, i int) string {
	if i >= len(s.AxisNames) {
		return ""
	}
	return s.AxisNames[i]
}

// newName returns a name for an axis that has none.
func (b *builder) newName() string { return fmt.Sprintf("#%d", len(b.axes)+1) }

// openAxis adds a dynamic axis, and the second trace if it is the first one.
func (b *builder) openAxis(name string) {
	if len(b.traces) == 1 {
		again := b.newTrace(map[string]int{})
		for _, s := range b.steps {
			again.do(s)
		}
		b.traces = append(b.traces, again)
	}
	var pair [2]int
	for i, t := range b.traces {
		pair[i] = standIn(len(t.sizes), i)
		t.sizes[name] = pair[i]
	}
	b.axes[name], b.named[pair] = axis{value: -1}, name
}

// shape returns the shape of a value.
func (b *builder) shape(v value) shapes.Shape {
	s := fromTensor(b.traces[0].values[v.number].Shape())
	if len(b.traces) == 1 {
		return s
	}
	other := b.traces[1].values[v.number].Shape().Dims
	for i, d := range s.Dimensions {
		if d == other[i] {
			continue
		}
		if s.AxisNames == nil {
			s.AxisNames = make([]string, len(other))
		}
		pair := [2]int{d, other[i]}
		if b.named[pair] == "" {
			b.nameAxis(pair, b.newName(), axis{v.number, i})
		}
		s.Dimensions[i], s.AxisNames[i] = shapes.DynamicDim, b.named[pair]
	}
	return s
}

// nameAxis gives an axis of a value a name.
func (b *builder) nameAxis(sizes [2]int, name string, a axis) {
	if _, taken := b.axes[name]; !taken {
		b.axes[name] = a
	}
	if b.named[sizes] == "" {
		b.named[sizes] = name
	}
}

// dims returns the dimensions that a shape has in the trace.
func (t *trace) dims(s shapes.Shape) []int {
	dims := slices.Clone(s.Dimensions)
	for i, d := range dims {
		if d != shapes.DynamicDim {
			continue
		}
		name := axisName(s, i)
		a, known := t.axes[name]
		switch size, own := t.sizes[name]; {
		case own:
			dims[i] = size
		case known:
			dims[i] = t.values[a.value].Shape().Dims[a.number]
		default:
			t.ir.Fail("shape", fmt.Errorf("no parameter has the dynamic axis %q of %s", name, s))
		}
	}
	return dims
}

// whole returns the dimensions of a part of x, in which a dynamic one is that of x.
func whole(dims []int, x ir.Value) []int {
	dims = slices.Clone(dims)
	for i, d := range dims {
		if have := x.Shape().Dims; d == shapes.DynamicDim && i < len(have) {
			dims[i] = have[i]
		}
	}
	return dims
}

// DynamicDimensionSize returns a dimension, which is a constant in each trace.
func (f *function) DynamicDimensionSize(x compute.Value, n int) (compute.Value, error) {
	return f.unary(func(x ir.Value) ir.Value {
		dims := x.Shape().Dims
		if n < 0 || n >= len(dims) {
			x.Func().Builder().Fail("dimension", fmt.Errorf("there is no axis %d of %s", n, x.Shape()))
			return ir.Value{}
		}
		return ir.Scalar(x.Func(), int32(dims[n]))
	}, x)
}

// DynamicShape returns the dimensions, which are constants in each trace.
func (f *function) DynamicShape(x compute.Value) (compute.Value, error) {
	return f.unary(func(x ir.Value) ir.Value {
		dims := []int32{}
		for _, d := range x.Shape().Dims {
			dims = append(dims, int32(d))
		}
		return ir.Const(x.Func(), dims, len(dims))
	}, x)
}

// DynamicReshape is builder.Reshape to dimensions that depend on others.
func (f *function) DynamicReshape(x compute.Value, specs ...compute.DynamicDimensionSpec) (compute.Value, error) {
	operands := []compute.Value{x}
	for _, s := range specs {
		if s.Value != nil {
			operands = append(operands, s.Value)
		}
	}
	made, err := f.one(func(xs []ir.Value) ir.Value {
		dims, sizes := make([]int, len(specs)), xs[1:]
		for i, s := range specs {
			switch {
			case s.Value != nil:
				dims[i], sizes = constant(sizes[0]), sizes[1:]
			case s.Name != "":
				dims[i] = -1 // builder.Reshape infers it
			default:
				dims[i] = s.Static
			}
		}
		return ir.Reshape(xs[0], dims...)
	}, operands...)
	if err != nil || len(f.builder.traces) == 1 {
		return made, err
	}
	v := made.(value)
	for i, s := range specs {
		if s.Name != "" && s.Name != shapes.AnonymousAxis {
			f.builder.nameOf(v, i, s.Name)
		}
	}
	return made, nil
}

// nameOf names an axis if it is dynamic.
func (b *builder) nameOf(v value, n int, name string) {
	var sizes [2]int
	for i, t := range b.traces {
		sizes[i] = t.values[v.number].Shape().Dims[n]
	}
	if sizes[0] != sizes[1] {
		b.nameAxis(sizes, name, axis{v.number, n})
	}
}

// constant returns the number that a scalar has in each execution of a trace.
func constant(x ir.Value) int {
	n, err := evaluate(x.MLIR())
	if err != nil {
		x.Func().Builder().Fail("dynamic_reshape", fmt.Errorf("a dimension is unknown before the execution: %w", err))
		return 0
	}
	return n
}

// evaluate computes a scalar that depends on constants only.
func evaluate(x mlir.Value) (int, error) {
	if dims, _ := x.Type().Dims(); len(dims) > 0 {
		return 0, fmt.Errorf("%s is no scalar", x.Type())
	}
	text := fmt.Sprintf("func.func @main() -> %s { %%0 = stablehlo.constant dense<0> : %[1]s  return %%0 : %[1]s }",
		x.Type())
	m, err := x.Type().Context().Parse("dimension", []byte(text))
	if err != nil {
		return 0, err
	}
	defer m.Close()
	end := m.Body().First().Region(0).First().Terminator()
	copies := &mlir.Mapping{}
	if err := copyBefore(end, x, copies); err != nil {
		return 0, err
	}
	copied, _ := copies.Value(x)
	end.SetOperand(0, copied)
	views, err := stablehlo.Evaluate(m)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(fmt.Sprint(views[0].At(0)))
}

// copyBefore copies what computes a value to the place before an operation.
func copyBefore(end mlir.Operation, x mlir.Value, copies *mlir.Mapping) error {
	if _, done := copies.Value(x); done {
		return nil
	}
	if !x.IsResult() {
		return errors.New("it depends on a parameter")
	}
	for _, operand := range x.Owner().Operands() {
		if err := copyBefore(end, operand, copies); err != nil {
			return err
		}
	}
	end.Block().InsertBefore(end, x.Owner().CloneWith(copies))
	return nil
}
