package identities

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// length is that of the arrays, and wide the number of columns of a broadcast one.
const (
	length = 32
	wide   = 4
)

// A writer writes the text of a module.
type writer struct {
	body   strings.Builder
	inputs map[string]tensor.View // by parameter and type
	folded bool                   // parameters are constants
	way    way
	params []string
	args   []tensor.View
	n      int
}

// module returns a function that returns the values of expressions, and its arguments. They share no
// operation and no parameter. If folded is set, there are constants instead of parameters.
func module(
	list []*expression, inputs map[string]tensor.View, folded bool, round way,
) (text string, args []tensor.View) {
	w := &writer{inputs: inputs, folded: folded, way: round}
	var results, types []string
	for _, e := range list {
		results = append(results, w.write(e, map[string]string{}))
		types = append(types, vector(e.t))
	}
	return fmt.Sprintf("func.func @main(%s) -> (%s) {\n%s  return %s : %s\n}\n", strings.Join(w.params, ", "),
		strings.Join(types, ", "),
		w.body.String(), strings.Join(results, ", "), strings.Join(types, ", ")), w.args
}

func array(t tensor.DType, dims ...int) string { return progen.Type(t.MLIR(), dims...) }

func vector(t tensor.DType) string { return array(t, length) }

// add writes an operation and returns the name of its result.
func (w *writer) add(format string, args ...any) string {
	w.n++
	name := fmt.Sprintf("%%%d", w.n)
	fmt.Fprintf(&w.body, "  %s = stablehlo.%s\n", name, fmt.Sprintf(format, args...))
	return name
}

func (w *writer) constant(elements, t string) string {
	x := w.add("constant dense<%s> : %s", elements, t)
	if w.way.hidden {
		x = w.add("optimization_barrier %s : %s", x, t)
	}
	return x
}

// write writes an expression. known are the parameters that have been written.
func (w *writer) write(e *expression, known map[string]string) string {
	t := vector(e.t)
	switch {
	case e.op == "":
		return w.constant(constant(e.text, e.t), t)
	case e.isParameter():
		return w.parameter(e, known)
	}
	var args, types []string
	for _, a := range e.args {
		args, types = append(args, w.write(a, known)), append(types, vector(a.t))
	}
	x, operand := args[0], types[0]
	if is, ok := strings.CutPrefix(e.op, "compare_"); ok {
		return w.add("compare %s, %s, %s : (%s, %s) -> %s", is, x, args[1], operand, operand, t)
	}
	switch e.op {
	case "select":
		return w.add("select %s : %s, %s", strings.Join(args, ", "), operand, t)
	case "divide", "remainder":
		if by := e.args[1].op; !progen.IsFloat(e.t) && by != "" && by != "y" { // it may be zero
			args[1] = w.add("or %s, %s : %s", args[1], w.add("constant dense<1> : %s", t), t)
		}
	case "convert", "is_finite":
		return w.add("%s %s : (%s) -> %s", e.op, x, operand, t)
	case "reduce_precision":
		return w.add("reduce_precision %s, format = e5m3 : %s", x, t)
	case "sum":
		return w.reduced(x, "add", e.t, "0")
	case "multiply_of":
		return w.reduced(x, "multiply", e.t, "1")
	case "maximum_of", "minimum_of":
		return w.reduced(w.add("concatenate %s, %s, dim = 0 : (%s, %s) -> %s", x, x, t, t, array(e.t, 2*length)),
			strings.TrimSuffix(e.op, "_of"), e.t, "")
	case "broadcast": // and its sum by rows
		matrix := array(e.t, length, wide)
		y := w.add("broadcast_in_dim %s, dims = [0] : (%s) -> %s", x, t, matrix)
		zero := w.add("constant dense<%s> : %s", constant("0", e.t), array(e.t))
		return w.add("reduce(%s init: %s) applies stablehlo.add across dimensions = [1] : (%s, %s) -> %s", y, zero,
			matrix, array(e.t), t)
	case "dot":
		y := w.add("dot_general %s, contracting_dims = [0] x [0] : (%s, %s) -> %s", strings.Join(args, ", "), t, t,
			array(e.t))
		return w.splat(y, e.t)
	case "outer": // a row of it
		matrix := array(e.t, length, length)
		y := w.add("dot_general %s, contracting_dims = [] x [] : (%s, %s) -> %s", strings.Join(args, ", "), t, t,
			matrix)
		row := w.add("slice %s [3:4, 0:%d] : (%s) -> %s", y, length, matrix, array(e.t, 1, length))
		return w.add("reshape %s : (%s) -> %s", row, array(e.t, 1, length), t)
	case "multiply":
		y := w.add("multiply %s, %s : %s", x, args[1], t)
		if !w.way.separate || !progen.IsFloat(e.t) {
			return y
		}
		truths := vector(tensor.Pred)
		number := w.add("compare EQ, %s, %s, FLOAT : (%s, %s) -> %s", y, y, t, t, truths)
		number = w.add("optimization_barrier %s : %s", number, truths)
		nan := w.add("divide %s, %[1]s : %[2]s", w.add("constant dense<0.0> : %s", t), t)
		return w.add("select %s, %s, %s : %s, %s", number, y, nan, truths, t)
	case "reverse":
		return w.add("reverse %s, dims = [0] : %s", x, t)
	case "slice": // and what is left, in front
		half := array(e.t, length/2)
		low, high := w.add("slice %s [0:%d] : (%s) -> %s", x, length/2, t, half),
			w.add("slice %s [%d:%d] : (%s) -> %s", x, length/2, length, t, half)
		return w.add("concatenate %s, %s, dim = 0 : (%s, %s) -> %s", high, low, half, half, t)
	case "concatenate": // an array with itself, of which every second element is taken
		double := array(e.t, 2*length)
		y := w.add("concatenate %s, %s, dim = 0 : (%s, %s) -> %s", x, x, t, t, double)
		return w.add("slice %s [0:%d:2] : (%s) -> %s", y, 2*length, double, t)
	case "pad":
		zero := w.add("constant dense<%s> : %s", constant("0", e.t), array(e.t))
		return w.add("pad %s, %s, low = [3], high = [-3], interior = [0] : (%s, %s) -> %s", x, zero, t, array(e.t), t)
	}
	return w.add("%s %s : %s", e.op, strings.Join(args, ", "), t)
}

// reduced writes an array of which all elements are the reduction of x. The first element is the initial value if
// that is empty, and x has twice the length.
func (w *writer) reduced(x, op string, t tensor.DType, initial string) string {
	from, init := vector(t), ""
	if initial == "" {
		from = array(t, 2*length)
		first := w.add("slice %s [0:1] : (%s) -> %s", x, from, array(t, 1))
		init = w.add("reshape %s : (%s) -> %s", first, array(t, 1), array(t))
	} else {
		init = w.add("constant dense<%s> : %s", constant(initial, t), array(t))
	}
	y := w.add("reduce(%s init: %s) applies stablehlo.%s across dimensions = [0] : (%s, %s) -> %s", x, init, op, from,
		array(t), array(t))
	return w.splat(y, t)
}

func (w *writer) splat(x string, t tensor.DType) string {
	return w.add("broadcast_in_dim %s, dims = [] : (%s) -> %s", x, array(t), vector(t))
}

func (w *writer) parameter(e *expression, known map[string]string) string {
	key := e.String()
	name, ok := known[key]
	switch {
	case ok:
	case w.folded && e.t != tensor.Pred:
		name = w.constant(fmt.Sprintf("\"0x%X\"", w.inputs[key].Data), vector(e.t))
	default:
		name = fmt.Sprintf("%%p%d", len(w.params))
		w.params = append(w.params, name+": "+vector(e.t))
		w.args = append(w.args, w.inputs[key])
	}
	known[key] = name
	return name
}
