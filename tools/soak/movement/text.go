package movement

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// module returns a module that returns the results of programs, one after the other, and its arguments.
func module(programs ...*program) (text string, inputs []tensor.View) {
	w := &writer{names: map[*value]string{}, functions: map[*function]string{}}
	var params, results, types []string
	for _, p := range programs {
		for _, f := range p.helpers {
			w.function(f)
		}
		for i, v := range p.main.params {
			params = append(params, w.define(v)+": "+v.String())
			inputs = append(inputs, p.inputs[i].view())
		}
	}
	helpers := w.String()
	w.Reset()
	for _, p := range programs {
		w.steps(p.main, "  ")
		for _, v := range p.main.results {
			results, types = append(results, w.names[v]), append(types, v.String())
		}
	}
	return fmt.Sprintf("%sfunc.func @main(%s) -> (%s) {\n%s  return %s : %s\n}\n", helpers, strings.Join(params, ", "),
		strings.Join(types, ", "), w, strings.Join(results, ", "), strings.Join(types, ", ")), inputs
}

// A writer writes the text of a module.
type writer struct {
	strings.Builder
	names     map[*value]string
	functions map[*function]string
	n         int
}

// define names a value.
func (w *writer) define(v *value) string {
	w.names[v] = fmt.Sprintf("%%%d", w.n)
	w.n++
	return w.names[v]
}

func (w *writer) all(list []*value) string {
	var names []string
	for _, v := range list {
		names = append(names, w.names[v])
	}
	return strings.Join(names, ", ")
}

// typed returns the types of values.
func typed(list []*value) string {
	var types []string
	for _, v := range list {
		types = append(types, v.String())
	}
	return strings.Join(types, ", ")
}

func (w *writer) function(f *function) {
	w.functions[f] = fmt.Sprintf("f%d", len(w.functions))
	var params []string
	for _, v := range f.params {
		params = append(params, w.define(v)+": "+v.String())
	}
	fmt.Fprintf(w, "func.func private @%s(%s) -> (%s) {\n", w.functions[f], strings.Join(params, ", "),
		typed(f.results))
	w.steps(f.block, "  ")
	fmt.Fprintf(w, "  return %s : %s\n}\n", w.all(f.results), typed(f.results))
}

func (w *writer) steps(b *block, indent string) {
	for _, s := range b.steps {
		w.step(s, indent)
	}
}

// end writes the end of a block in a step.
func (w *writer) end(b *block, indent string) {
	fmt.Fprintf(w, "%sstablehlo.return %s : %s\n", indent, w.all(b.results), typed(b.results))
}

func (w *writer) step(s *step, indent string) {
	name := fmt.Sprintf("%%%d", w.n)
	w.n++
	w.WriteString(indent + name)
	if len(s.out) > 1 {
		fmt.Fprintf(w, ":%d", len(s.out))
	}
	w.WriteString(" = ")
	in := kinds(s.args)
	switch s.operation {
	case loop:
		w.loop(s, indent)
	case choice, cases:
		fmt.Fprintf(w, "\"stablehlo.%s\"(%s) (", s.operation, w.names[s.args[0]])
		for i, b := range s.blocks {
			if i > 0 {
				w.WriteString(", ")
			}
			w.WriteString("{\n")
			w.steps(b, indent+"  ")
			w.end(b, indent+"  ")
			w.WriteString(indent + "}")
		}
		fmt.Fprintf(w, ") : (%s) -> (%s)\n", in[0], typed(s.out))
	case call:
		fmt.Fprintf(w, "func.call @%s(%s) : (%s) -> (%s)\n", w.functions[s.callee], w.all(s.args), typed(s.args),
			typed(s.out))
	default:
		var names []string
		for _, v := range s.args {
			names = append(names, w.names[v])
		}
		w.WriteString(s.text(names, in, s.out[0].kind) + "\n")
	}
	for i, v := range s.out {
		w.names[v] = name
		if len(s.out) > 1 {
			w.names[v] = fmt.Sprintf("%s#%d", name, i)
		}
	}
}

func (w *writer) loop(s *step, indent string) {
	var state []string
	test, body := s.blocks[0], s.blocks[1]
	for i, v := range body.params {
		state = append(state, w.define(v)+" = "+w.names[s.args[i]])
		w.names[test.params[i]] = w.names[v]
	}
	fmt.Fprintf(w, "stablehlo.while(%s) : %s\n%scond {\n", strings.Join(state, ", "), typed(s.args), indent)
	w.steps(test, indent+"  ")
	w.end(test, indent+"  ")
	w.WriteString(indent + "} do {\n")
	w.steps(body, indent+"  ")
	w.end(body, indent+"  ")
	w.WriteString(indent + "}\n")
}
