package mlir

import (
	"errors"
	"fmt"
	"slices"
)

// The library runs the rewrite of a PDL pattern without checks. It crashes if an operation
// is used after it was erased, if an index is out of range, or if result types cannot be
// inferred. So each step of a rewrite is replaced by a call of Go, which does the same with
// a Rewriter.

// pdlStep is a step of a rewrite. It returns the results of the step.
type pdlStep func(r *Rewriter, arguments []any) ([]any, error)

// pdlCall is a step in the form in which the library calls it.
type pdlCall struct {
	name    string // under which it is registered in the library
	of      string // the pattern, or the function of PDLOptions, for errors
	rooted  bool   // the last argument is the matched operation
	results []string
	step    pdlStep
	carried bool // the first argument is a carrier
	last    bool // the end of the rewrite
}

// pdlRewrite replaces the steps of the rewrite of one pattern.
type pdlRewrite struct {
	c       *Context
	o       PDLOptions
	pattern string
	root    Value // nil if it is not known which operation is matched first
	calls   []pdlCall
}

// replaceSteps changes a module of patterns so that their rewrites call Go. It returns an
// error if a pattern has a step that is not supported.
func (o PDLOptions) replaceSteps(m *Module) ([]pdlCall, error) {
	var patterns []Operation
	for o := range m.Operation().All() {
		if o.Name() == "pdl.pattern" {
			patterns = append(patterns, o)
		}
	}
	var calls []pdlCall
	for _, p := range patterns {
		w := &pdlRewrite{c: m.ctx, o: o, calls: calls}
		var ok bool
		if w.pattern, ok = p.Symbol(); !ok {
			w.pattern = "at " + p.Location().Position().String()
		}
		if err := w.rewrite(p.Region(0).First()); err != nil {
			return nil, fmt.Errorf("mlir: the pattern %s: %w", w.pattern, err)
		}
		calls = w.calls
	}
	return calls, nil
}

// groups returns the groups of operands of a PDL operation that has several.
func groups(o Operation) [][]Value {
	all := o.OperandValues()
	segments, _ := o.Attribute("operandSegmentSizes")
	sizes, _ := DenseArrayOf[int32](segments)
	out := make([][]Value, len(sizes))
	for i, n := range sizes {
		out[i], all = all[:n], all[n:]
	}
	return out
}

func (w *pdlRewrite) rewrite(pattern Block) error {
	var end Operation
	var matched []Value
	for o := range pattern.Operations() {
		end = o
		if o.Name() == "pdl.operation" {
			matched = append(matched, o.Result(0))
		}
	}
	lists := groups(end) // the root, the arguments of a function
	switch {
	case len(lists[0]) == 1:
		w.root = lists[0][0]
	case len(matched) == 1:
		w.root = matched[0]
	}
	if name, ok := end.Attribute("name"); ok { // a function is called instead of steps
		body := w.c.NewBlock(Location{})
		end.Region(0).Append(body)
		_, err := Create(body, OperationState{Name: "pdl.apply_native_rewrite", Location: end.Location(),
			Operands: slices.Concat(lists[0], lists[1]), Attributes: []NamedAttribute{{"name", name}}})
		if err != nil {
			return err
		}
		end.SetOperands(lists[0]...)
		end.SetAttribute("operandSegmentSizes", NewDenseArray(w.c, int32(len(lists[0])), int32(0)))
		end.RemoveAttribute("name")
	}
	body := end.Region(0).First()
	for _, o := range slices.Collect(body.Operations()) {
		if err := w.step(o); err != nil {
			return fmt.Errorf("%s at %s: %w", o.Name(), o.Location().Position(), err)
		}
	}
	unit, err := Create(body, OperationState{Name: "pdl.attribute", Location: end.Location(),
		Results: []Type{w.typ("!pdl.attribute")}, Attributes: []NamedAttribute{{"value", w.c.UnitAttribute()}}})
	if err != nil {
		return err
	}
	w.calls = append(w.calls, pdlCall{of: w.pattern, last: true})
	_, err = w.call(body, unit.Location(), []Value{unit.Result(0)}) // it must have an argument
	return err
}

func (w *pdlRewrite) typ(text string) Type {
	t, err := w.c.ParseType(text)
	if err != nil {
		panic(err) // the dialect is loaded
	}
	return t
}

// call appends an operation that calls the last of w.calls.
func (w *pdlRewrite) call(b Block, loc Location, arguments []Value) (Operation, error) {
	this := &w.calls[len(w.calls)-1]
	this.name = fmt.Sprintf("calliope.%d", len(w.calls))
	if this.rooted = !w.root.IsNil() && !this.last; this.rooted {
		arguments = append(slices.Clone(arguments), w.root)
	}
	var results []Type
	for _, text := range this.results {
		results = append(results, w.typ(text))
	}
	return Create(b,
		OperationState{Name: "pdl.apply_native_rewrite", Location: loc, Operands: arguments, Results: results,
			Attributes: []NamedAttribute{{"name", w.c.StringAttribute(this.name)}}})
}

// instead replaces a step by a call of Go.
func (w *pdlRewrite) instead(o Operation, this pdlCall, arguments ...Value) error {
	if this.of == "" {
		this.of, this.step = w.pattern, refused(this.step)
	}
	for _, v := range o.Results() {
		this.results = append(this.results, v.Type().String())
	}
	w.calls = append(w.calls, this)
	made, err := w.call(o.Block(), o.Location(), arguments)
	if err != nil {
		return err
	}
	made.MoveBefore(o)
	for i, v := range o.Results() {
		v.ReplaceAllUses(made.Result(i))
	}
	return o.Erase()
}

// refused returns the panics of a Rewriter as errors, because they are caused by the text
// of the pattern. Other panics, of the user's functions, stay panics.
func refused(step pdlStep) pdlStep {
	return func(r *Rewriter, arguments []any) (results []any, err error) {
		defer func() {
			switch v := recover().(type) {
			case nil:
			case string:
				err = errors.New(v)
			default:
				panic(v)
			}
		}()
		return step(r, arguments)
	}
}
