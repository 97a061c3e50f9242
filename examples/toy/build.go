package main

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/define"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// load defines the dialect toy in a context. All its operations but print and call are pure.
func load(c *mlir.Context) error {
	x, y := define.Part{Name: "x"}, define.Part{Name: "y"}
	result := []define.Part{{Name: "result"}}
	err := define.Dialect{Name: "toy", Operations: []define.Operation{
		{Name: "constant", Attributes: []define.Part{{Name: "value"}}, Results: result},
		{Name: "add", Operands: []define.Part{x, y}, Results: result},
		{Name: "mul", Operands: []define.Part{x, y}, Results: result},
		{Name: "transpose", Operands: []define.Part{x}, Results: result},
		{Name: "reshape", Operands: []define.Part{x}, Results: result, Verify: sameElements},
		{Name: "print", Operands: []define.Part{x}},
		{Name: "call", Operands: []define.Part{{Name: "arguments", Number: define.Variadic}},
			Attributes: []define.Part{{Name: "callee"}}, Results: result},
	}}.Load(c)
	for _, pure := range []string{"constant", "add", "mul", "transpose", "reshape"} {
		if err == nil {
			err = c.SetMemoryEffects("toy."+pure, func(mlir.Operation) []mlir.MemoryEffect { return nil })
		}
	}
	return err
}

// sameElements refuses a reshape to another number of elements.
func sameElements(op mlir.Operation) error {
	from, known := op.Operand(0).Type().NumElements()
	to, ranked := op.Result(0).Type().NumElements()
	if known && ranked && from != to {
		return fmt.Errorf("%d elements do not make %v", from, op.Result(0).Type())
	}
	return nil
}

// A generator turns the syntax tree into operations.
type generator struct {
	b         *mlir.Builder
	any       mlir.Type // an array of any shape
	functions map[string]*node
	variables map[string]mlir.Value
}

// generate returns a module with a func.func for each function.
func generate(c *mlir.Context, functions []*node) (*mlir.Module, error) {
	m := c.NewModule(mlir.Location{})
	g := &generator{b: mlir.NewBuilder(m.Body(), mlir.Location{}), functions: map[string]*node{}}
	g.any = g.b.Type("tensor<*xf64>")
	for _, f := range functions {
		g.functions[f.name] = f
	}
	for _, f := range functions {
		g.function(f)
	}
	if err := g.b.Err(); err != nil {
		return nil, err
	}
	return m, m.Verify()
}

// at makes a node the location of the operations that follow.
func (g *generator) at(n *node) {
	g.b.SetLocation(g.b.Context().FileLocation(n.at.Filename, n.at.Line, n.at.Column))
}

func (g *generator) fail(n *node, format string, args ...any) mlir.Value {
	g.b.Fail(fmt.Errorf("%v: %s", n.at, fmt.Sprintf(format, args...)))
	return mlir.Value{}
}

func (g *generator) function(f *node) {
	var names []string
	var inputs, outputs []mlir.Type
	for _, n := range f.inner {
		switch n.kind {
		case kindParameter:
			names, inputs = append(names, n.name), append(inputs, g.any)
		case kindReturn:
			outputs = []mlir.Type{g.any}
		}
	}
	g.at(f)
	function.Func(g.b, f.name, inputs, outputs, func(in []mlir.Value) {
		g.variables = map[string]mlir.Value{}
		for i, name := range names {
			g.variables[name] = in[i]
		}
		for _, n := range f.inner[len(names):] {
			g.statement(n)
		}
		if outputs == nil {
			function.Return(g.b)
		}
	})
}

func (g *generator) statement(n *node) {
	switch n.kind {
	case kindVariable:
		v := g.value(n.inner[0])
		if n.shape != nil && g.b.Err() == nil {
			v = g.op(n, "toy.reshape", g.tensor(n.shape), v)
		}
		g.variables[n.name] = v
	case kindReturn:
		v := g.value(n.inner[0])
		if g.at(n); v.Type() != g.any {
			v = g.op(n, "toy.reshape", g.any, v)
		}
		function.Return(g.b, v)
	default:
		g.value(n)
	}
}

func (g *generator) tensor(shape []int64) mlir.Type {
	return g.b.CheckedType(g.b.Context().TensorType(g.b.Type("f64"), shape...))
}

// op adds an operation with one result.
func (g *generator) op(n *node, name string, t mlir.Type, operands ...mlir.Value) mlir.Value {
	g.at(n)
	return g.b.Create(mlir.OperationState{Name: name, Operands: operands, Results: []mlir.Type{t}}).Result(0)
}

// value adds the operations of an expression. That of print is the nil Value.
func (g *generator) value(n *node) mlir.Value {
	if n.kind == kindLiteral {
		t := g.tensor(n.shape)
		dense := g.b.CheckedAttribute(mlir.NewDense(t, n.values))
		g.at(n)
		return g.b.Create(mlir.OperationState{Name: "toy.constant", Results: []mlir.Type{t},
			Attributes: []mlir.NamedAttribute{{Name: "value", Value: dense}}}).Result(0)
	}
	if n.kind == kindName {
		v, ok := g.variables[n.name]
		if !ok {
			return g.fail(n, "there is no variable %q", n.name)
		}
		return v
	}
	var in []mlir.Value
	for _, operand := range n.inner {
		in = append(in, g.value(operand))
	}
	if g.b.Err() != nil {
		return mlir.Value{}
	}
	f := g.functions[n.name]
	switch {
	case n.name == "+":
		return g.op(n, "toy.add", g.any, in...)
	case n.name == "*":
		return g.op(n, "toy.mul", g.any, in...)
	case n.name == "transpose" && len(in) == 1:
		return g.op(n, "toy.transpose", g.any, in...)
	case n.name == "print" && len(in) == 1:
		g.at(n)
		g.b.Create(mlir.OperationState{Name: "toy.print", Operands: in})
		return mlir.Value{}
	case f == nil:
		return g.fail(n, "there is no function %q of %d arguments", n.name, len(in))
	}
	g.at(n)
	return g.b.Create(mlir.OperationState{Name: "toy.call", Operands: in, Results: []mlir.Type{g.any},
		Attributes: []mlir.NamedAttribute{{Name: "callee", Value: g.b.Context().StringAttribute(n.name)}}}).Result(0)
}
