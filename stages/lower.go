package stages

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
)

// LowerCallbacks replaces calls of callbacks by operations, in the module itself. Like Options.Lower, lower has
// functions that build these, by the callback's name; other calls stay. Packages autodiff and vmap can then transform
// what a callback computes, which needs no derivative of its own. The error is a *CutError if a call is not of the form
// pure or its function does not fit it; the module may then be changed in part.
func LowerCallbacks(m *mlir.Module, lower map[string]Lowering) error {
	o := Options{Lower: lower, Force: map[string]Decision{}}
	for name, f := range lower {
		if f != nil { // which check refuses
			o.Force[name] = Lower
		}
	}
	if err := cmp.Or(given(m), o.check()); err != nil {
		return err
	}
	c := &cutter{module: m, plan: &Plan{}}
	return c.lowerAll(o)
}

// lowerAll lowers the callbacks that become operations.
func (c *cutter) lowerAll(o Options) error {
	sites, err := o.sites(c.module)
	if err != nil {
		return err
	}
	for _, s := range sites {
		build := o.Lower[s.Config.Name()]
		if build == nil {
			continue
		}
		cb, err := c.callback(&s, o)
		if err != nil {
			return err
		}
		if cb.Decision != Lower {
			continue
		}
		if !cb.pure {
			return cutError(s.Op, "the callback %q has the form %s: only calls of the form %s are lowered", cb.Name,
				cb.Config.Form, contract.Pure)
		}
		if err := c.lower(s.Op, cb, build); err != nil {
			return err
		}
		c.plan.callbacks = append(c.plan.callbacks, cb)
	}
	return nil
}

// loweredName returns a name that no function of the module has.
func (c *cutter) loweredName() string {
	table := c.module.SymbolTable()
	for i := len(c.plan.callbacks); ; i++ {
		name := fmt.Sprintf("calliope.lowered.%d", i)
		if _, taken := table.Lookup(name); !taken {
			return name
		}
	}
}

// lower replaces a callback by a call of a function that build makes.
func (c *cutter) lower(op mlir.Operation, cb *Callback, build Lowering) error {
	name := c.loweredName()
	f, err := c.built(op, cb, build, name)
	if err != nil {
		return cutError(op, "lowering the callback %q: %w", cb.Name, err)
	}
	c.module.Body().Append(f)
	operands := op.OperandValues()
	types := mlir.TypesOf(op.ResultValues())
	ctx := c.module.Context()
	called, err := mlir.Create(mlir.Before(op), mlir.OperationState{
		Name: "func.call", Location: op.Location(), Operands: operands, Results: types,
		Attributes: []mlir.NamedAttribute{{Name: "callee", Value: ctx.SymbolAttribute(name)}},
	})
	if err != nil {
		return cutError(op, "lowering the callback %q: %w", cb.Name, err)
	}
	for i, v := range op.Results() {
		v.ReplaceAllUses(called.Result(i))
	}
	return op.Erase()
}

// ofElements returns what builds a batch of calls, with the key "parallel" of the contract.
func ofElements(build Lowering, parallel string) Lowering {
	if parallel == "" {
		return build
	}
	axes := strings.Split(parallel, ",")
	slices.Reverse(axes) // the innermost first
	for _, axis := range axes {
		in := make([]int, len(axis))
		for i, has := range axis {
			if has == '.' {
				in[i] = builder.NotBatched
			}
		}
		build = builder.Batch(build, builder.BatchOptions{In: in})
	}
	return build
}

// built returns the function that build makes, detached.
func (c *cutter) built(op mlir.Operation, cb *Callback, build Lowering, name string) (made mlir.Operation, err error) {
	b := builder.New(c.module.Context(), builder.Options{})
	defer b.Close()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the function panicked: %v", p)
		}
	}()
	f := b.Func(name, cb.Args...)
	args := make([]builder.Value, len(cb.Args))
	for i := range args {
		args[i] = f.Param(i)
	}
	results := ofElements(build, cb.Config.Batching.Parallel)(args)
	if err := b.Err(); err != nil {
		return made, err
	}
	if len(results) != len(cb.Results) {
		return made,
			fmt.Errorf("the function returns %d values, and the module wants %d", len(results), len(cb.Results))
	}
	for i, v := range results {
		if got, want := v.Shape(), cb.Results[i]; !got.Equal(want) {
			return made, fmt.Errorf("the function returns %s as result %d, and the module wants %s", got, i, want)
		}
	}
	f.Return(results...)
	m, err := b.Module()
	if err != nil {
		return made, err
	}
	defer m.Close()
	for op := range m.Body().Operations() {
		if s, _ := op.Symbol(); s == name {
			copied := op.Clone()
			copied.SetVisibility(mlir.Private)
			return copied, nil
		}
	}
	return made, errors.New("the builder made no function")
}
