package passes

import (
	"fmt"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// callers states how the functions of a module are used.
type callers struct {
	order  []mlir.Operation // with a body, in the order of the text
	byName map[string]mlir.Operation
	calls  map[string][]mlir.Operation
	other  map[string]bool   // functions that something other than a call refers to
	closed map[string]string // why a token cannot pass through a function
}

func callersOf(m *mlir.Module) callers {
	c := callers{calls: map[string][]mlir.Operation{}, other: map[string]bool{}, closed: map[string]string{}}
	c.order, c.byName = function.Defined(m)
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() == "builtin.module" && op != m.Operation() {
			return mlir.WalkSkip // its symbols are its own
		}
		if name, isCall := function.Callee(op); isCall {
			c.calls[name] = append(c.calls[name], op)
			return mlir.WalkContinue
		}
		for attribute, a := range op.Attributes() {
			if attribute != "sym_name" {
				c.refer(a)
			}
		}
		return mlir.WalkContinue
	})
	callees := map[string][]string{}
	for name, f := range c.byName {
		callees[name] = function.Callees(f)
	}
	mark := func(name, reason string) {
		for todo := []string{name}; len(todo) > 0; {
			name, todo = todo[0], todo[1:]
			if c.closed[name] == "" {
				c.closed[name] = reason
				todo = append(todo, callees[name]...)
			}
		}
	}
	for name := range closedFunctions(m, c.byName) {
		mark(name, fmt.Sprintf("the function @%s is called where no callback can run", name))
	}
	for _, f := range c.order {
		name, _ := f.Symbol()
		switch {
		case c.other[name]:
			mark(name, fmt.Sprintf("something other than a call refers to the function @%s", name))
		case name == "main" && len(c.calls[name]) > 0:
			mark(name, "the function @main is called")
		case recursive(name, callees):
			mark(name, fmt.Sprintf("the function @%s calls itself", name))
		}
	}
	return c
}

// refer records the functions that an attribute names.
func (c *callers) refer(a mlir.Attribute) {
	if symbol, ok := a.Symbol(); ok {
		c.other[symbol] = true
		return
	}
	if elements, ok := a.Elements(); ok {
		for _, e := range elements {
			c.refer(e)
		}
		return
	}
	for _, e := range a.Entries() {
		c.refer(e)
	}
}

// recursive reports whether a function calls itself, directly or through others.
func recursive(name string, callees map[string][]string) bool {
	seen := map[string]bool{}
	for todo := callees[name]; len(todo) > 0; {
		next := todo[0]
		todo = todo[1:]
		if next == name {
			return true
		}
		if !seen[next] {
			seen[next] = true
			todo = append(todo[:len(todo):len(todo)], callees[next]...)
		}
	}
	return false
}

// maxConditions limits conditions in conditions: each of them doubles the operations in it.
const maxConditions = 8

// isInner reports whether an operation is in a module in the outermost one, whose symbols are its own.
func isInner(op mlir.Operation) bool {
	for at := op.Parent(); !at.IsNil(); at = at.Parent() {
		if at.Name() == "builtin.module" {
			return !at.Parent().IsNil()
		}
	}
	return false
}

// refuses returns why an operation cannot be a callback at its place, or "".
func (c *callers) refuses(op mlir.Operation) string {
	conditions := 0
	for at, block := op.Parent(), op.Block(); ; at, block = at.Parent(), at.Block() {
		if at.IsNil() || block.IsNil() {
			return "it is not in a function"
		}
		region := block.Region()
		if region.NumBlocks() != 1 {
			return fmt.Sprintf("it is in a region of %s with several blocks", at.Name())
		}
		if at.Name() == "func.func" {
			name, _ := at.Symbol()
			if f, ok := c.byName[name]; !ok || f != at {
				return "it is not in a function of the outermost module"
			}
			return c.closed[name]
		}
		if !callop.CanHold(at) {
			return fmt.Sprintf("it is in %s, where no callback can run", at.Name())
		}
		if at.Name() == "stablehlo.while" && at.Region(0).First().Equal(block) {
			if conditions++; conditions > maxConditions {
				return fmt.Sprintf("it is in more than %d conditions of loops in one another", maxConditions)
			}
		}
	}
}
