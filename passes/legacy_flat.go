package passes

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/internal/run/legacycall"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// read sets the parts of the call and of its replacement. It returns why the call cannot be replaced.
func (l *legacy) read() error {
	c := l.custom
	switch {
	case l.bad != nil:
		return l.bad
	case c.APIVersion < 0 || c.APIVersion > 3:
		return fmt.Errorf("there is no api_version %d", c.APIVersion)
	case !c.BackendConfig.IsNil():
		text, ok := c.BackendConfig.Text()
		if !ok {
			return fmt.Errorf("its backend_config is %s, and a call of api_version %d has a string", c.BackendConfig,
				c.APIVersion)
		}
		l.call.Opaque = text
	}
	if a, ok := l.op.Attribute("mhlo.backend_config"); ok {
		return fmt.Errorf("it has a string in backend_config and %s in mhlo.backend_config: remove one", a)
	}
	if err := callop.CheckLayouts(c); err != nil {
		return err
	}
	l.flat = stablehlo.CustomCallOp{APIVersion: stablehlo.TypedFFI, HasSideEffect: c.HasSideEffect,
		CalledComputations: c.CalledComputations}
	layouts := c.OperandLayouts != nil
	if layouts {
		l.flat.OperandLayouts, l.flat.ResultLayouts = [][]int64{}, [][]int64{}
	}
	for i, v := range c.Operands {
		n, err := l.nest(v.Type(), fmt.Sprintf("operand %d", i), &l.flat.OperandLayouts, layouts)
		if err != nil {
			return err
		}
		l.in = append(l.in, n)
	}
	var parts []legacycall.Nest
	for i, t := range c.Results {
		n, err := l.nest(t, fmt.Sprintf("result %d", i), &l.flat.ResultLayouts, layouts)
		if err != nil {
			return err
		}
		parts = append(parts, n)
		l.flat.Results = arraysOf(l.flat.Results, t)
	}
	l.out = legacycall.Nest{Tuple: true, Elements: parts}
	if len(parts) == 1 {
		l.out = parts[0]
	}
	l.call.Tuples = legacycall.Tuples(l.in, l.out)
	if err := l.readAliases(); err != nil {
		return err
	}
	if len(parts) == 1 && parts[0].Tuple {
		for _, name := range []string{"mhlo.sharding", "sdy.sharding"} {
			if _, ok := l.op.Attribute(name); ok {
				return fmt.Errorf("its result is a tuple with %s: return several results instead", name)
			}
		}
	}
	return nil
}

// nested reports whether an operand or a result is a tuple.
func (l *legacy) nested() bool {
	isTuple := func(t mlir.Type) bool { return t.IsTuple() }
	return slices.ContainsFunc(l.custom.Results, isTuple) ||
		slices.ContainsFunc(l.custom.Operands, func(v mlir.Value) bool { return isTuple(v.Type()) })
}

// nest returns the structure of a type, and appends row-major layouts of its arrays if there are layouts.
func (l *legacy) nest(t mlir.Type, what string, layouts *[][]int64, has bool) (legacycall.Nest, error) {
	if elements, ok := t.Elements(); ok {
		n := legacycall.Nest{Tuple: true}
		for i, e := range elements {
			part, err := l.nest(e, fmt.Sprintf("%s, element %d", what, i), layouts, has)
			if err != nil {
				return n, err
			}
			n.Elements = append(n.Elements, part)
		}
		return n, nil
	}
	if !t.IsRankedTensor() {
		return legacycall.Nest{}, fmt.Errorf("%s is %s, not an array", what, t)
	}
	shape, err := stablehlo.ShapeOf(t)
	if err != nil {
		return legacycall.Nest{}, fmt.Errorf("%s is %s: %w", what, t, err)
	}
	if shape.DType.Bits() < 8 && shape.DType != tensor.Pred {
		return legacycall.Nest{}, fmt.Errorf("%s is %s: elements of less than a byte are not supported", what, t)
	}
	if has { // CheckLayouts allows no other one
		layout := rewrite.UpTo(shape.Rank())
		slices.Reverse(layout)
		row := make([]int64, len(layout))
		for i, d := range layout {
			row[i] = int64(d)
		}
		*layouts = append(*layouts, row)
	}
	return legacycall.Nest{}, nil
}

// readAliases sets the aliases of the replacement: of arrays, also if those of the call are of tuples.
func (l *legacy) readAliases() error {
	for _, alias := range l.custom.Aliases {
		if alias.OperandIndex < 0 || alias.OperandIndex >= int64(len(l.in)) {
			return fmt.Errorf("the alias %s has no such operand", alias)
		}
		first := 0
		for _, n := range l.in[:alias.OperandIndex] {
			first += n.Leaves()
		}
		in, from, errIn := leavesAt(l.in[alias.OperandIndex], first, alias.OperandTupleIndices)
		out, to, errOut := leavesAt(l.out, 0, alias.OutputTupleIndices)
		if err := errors.Join(errIn, errOut); err != nil {
			return fmt.Errorf("the alias %s: %w", alias, err)
		}
		if legacycall.Tuples([]legacycall.Nest{in}, out) != legacycall.Tuples([]legacycall.Nest{in}, in) {
			return fmt.Errorf("the alias %s is of an operand and a result of other structures", alias)
		}
		for i := range in.Leaves() {
			array := stablehlo.OutputOperandAlias{OperandIndex: int64(from + i)}
			if len(l.flat.Results) > 1 {
				array.OutputTupleIndices = []int64{int64(to + i)}
			}
			l.flat.Aliases = append(l.flat.Aliases, array)
		}
	}
	return nil
}

// leavesAt returns the part of a value at a path, and the number of its first array. first is that of the value.
func leavesAt(n legacycall.Nest, first int, path []int64) (legacycall.Nest, int, error) {
	for _, i := range path {
		if !n.Tuple || i < 0 || i >= int64(len(n.Elements)) {
			return n, 0, fmt.Errorf("there is nothing at %v", path)
		}
		for _, before := range n.Elements[:i] {
			first += before.Leaves()
		}
		n = n.Elements[i]
	}
	return n, first, nil
}

// replace replaces the call.
func (l *legacy) replace(config contract.Config) error {
	if l.flat.HasSideEffect {
		config.Form = contract.Call
	}
	op, c := l.op, l.op.Context()
	made := l.flat
	made.Target = config.Form.Target()
	var err error
	for _, v := range l.custom.Operands {
		if made.Operands, err = elementsOf(made.Operands, v, op); err != nil {
			return err
		}
	}
	if made.BackendConfig, err = callop.ConfigAttribute(c, config); err != nil {
		return err
	}
	e := rewrite.Before(op)
	replacement := made.Create(e.Builder)
	if e.Cause() != nil {
		return e.Cause()
	}
	for name, a := range op.Attributes() {
		if !slices.Contains(legacyAttributes, name) {
			replacement.SetAttribute(name, a)
		}
	}
	arrays := replacement.ResultValues()
	for _, result := range op.Results() {
		value, err := l.value(result.Type(), &arrays)
		if err != nil {
			return err
		}
		result.ReplaceAllUses(value)
	}
	return op.Erase()
}

// legacyAttributes are those of the operation itself.
var legacyAttributes = []string{
	"call_target_name", "api_version", "has_side_effect", "backend_config", "output_operand_aliases",
	"called_computations", "operand_layouts", "result_layouts", "custom_call_schedule",
}

// value makes a value of a type from the first of the arrays, which it removes from the list.
func (l *legacy) value(t mlir.Type, arrays *[]mlir.Value) (mlir.Value, error) {
	elements, ok := t.Elements()
	if !ok {
		v := (*arrays)[0]
		*arrays = (*arrays)[1:]
		return v, nil
	}
	var values []mlir.Value
	for _, e := range elements {
		v, err := l.value(e, arrays)
		if err != nil {
			return mlir.Value{}, err
		}
		values = append(values, v)
	}
	op, err := mlir.Create(mlir.Before(l.op), mlir.OperationState{
		Name: "stablehlo.tuple", Location: l.op.Location(), Operands: values, Results: []mlir.Type{t},
	})
	if err != nil {
		return mlir.Value{}, err
	}
	l.tuples = append(l.tuples, op.Result(0))
	return op.Result(0), nil
}

// unpack replaces the elements that are taken from a tuple by what it was made of, and removes it if it has no
// other use.
func unpack(tuple mlir.Value) error {
	made := tuple.Owner()
	for _, use := range slices.Collect(tuple.Uses()) {
		user := use.Owner
		if user.Name() != "stablehlo.get_tuple_element" && user.Name() != "mhlo.get_tuple_element" {
			continue
		}
		index, ok := user.Attribute("index")
		i, isInt := index.Int()
		if !ok || !isInt || i < 0 || int(i) >= made.NumOperands() {
			continue
		}
		user.Result(0).ReplaceAllUses(made.Operand(int(i)))
		if err := user.Erase(); err != nil {
			return err
		}
	}
	if tuple.HasUses() {
		return nil
	}
	return made.Erase()
}
