package identities

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

// Options say how many programs are run and how.
type Options struct {
	Programs int
	Seed     uint64
	// Simplify lets XLA simplify the programs, with what it makes wrong then. Otherwise they are
	// compiled with engine.CompileOptions.Exact.
	Simplify bool
	// JIT compiles the programs with package jit in the place of XLA.
	JIT bool
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if o.Programs < 1 {
		return errors.New("the number of programs must be 1 or more")
	}
	return nil
}

// A Deviation is an expression for which XLA returns another value than the interpreter, while for those in it
// both return the same.
type Deviation struct {
	Expression string
	Folded     bool   // its parameters are constants
	Inputs     string // the elements of the parameters
	Want, Got  string // what the interpreter and XLA make of them
	Count      int    // how many programs have it, with any parameters
	Known      string // why XLA does so also without simplification: titles of docs/reference/xla-deviations.md, or ""
}

func (d *Deviation) String() string {
	folded := ""
	if d.Folded {
		folded = " of constants"
	}
	known := ""
	if d.Known != "" {
		known = " (" + d.Known + ")"
	}
	return fmt.Sprintf("%d× %s%s at %s: want %s, got %s%s", d.Count, d.Expression, folded, d.Inputs, d.Want, d.Got,
		known)
}

// A Result is what a run found.
type Result struct {
	Programs   int
	Deviations []*Deviation
}

func (r *Result) String() string {
	var b strings.Builder
	for _, d := range r.Deviations {
		fmt.Fprintln(&b, d)
	}
	fmt.Fprintf(&b, "%d programs, %d kinds of deviations, %d of them not known\n", r.Programs, len(r.Deviations),
		len(r.Unknown()))
	return b.String()
}

// Unknown returns the deviations that are not known.
func (r *Result) Unknown() []*Deviation {
	return slices.DeleteFunc(slices.Clone(r.Deviations), func(d *Deviation) bool { return d.Known != "" })
}

// inModule is the number of expressions in one module.
const inModule = 50

// Run makes random programs, runs them by the XLA of a plugin, or by package jit, and by the interpreter, in child
// processes, and compares what they return. The same options make the same programs. path is that of the plugin, and ""
// the one that bridge.Open finds. Options.JIT needs none.
func Run(ctx context.Context, path string, o Options) (*Result, error) {
	g := &generator{rand.New(rand.NewPCG(o.Seed, 0))}
	r := &runner{options: o, found: map[string]*Deviation{},
		reference: execute.Runner{Engine: execute.Engine{Kind: execute.Interpreter}},
		compiler:  execute.Runner{Engine: execute.Engine{Kind: execute.Exact, Plugin: path}}}
	defer r.reference.Close()
	defer r.compiler.Close()
	switch {
	case o.JIT:
		r.compiler.Kind = execute.JIT
	case o.Simplify:
		r.compiler.Kind = execute.XLA
	default:
		plugin, err := bridge.Open(bridge.OpenOptions{Path: path})
		if err != nil {
			return nil, err
		}
		r.pjrt = plugin.Info().PJRT
	}
	for r.result.Programs < o.Programs {
		list := make([]*expression, min(inModule, o.Programs-r.result.Programs))
		for i := range list {
			list[i] = g.expression(types[g.IntN(len(types))])
		}
		r.inputs, r.folded = g.inputs(), g.IntN(4) == 0
		if err := r.compare(ctx, list); err != nil {
			return &r.result, err
		}
		r.result.Programs += len(list)
	}
	slices.SortFunc(r.result.Deviations,
		func(a, b *Deviation) int { return strings.Compare(a.Expression, b.Expression) })
	return &r.result, nil
}

type runner struct {
	reference, compiler execute.Runner
	options             Options
	pjrt                string // the plugin's version
	inputs              map[string]tensor.View
	folded              bool
	found               map[string]*Deviation // by expression and reason
	result              Result
}

// compare adds the deviations of expressions.
func (r *runner) compare(ctx context.Context, list []*expression) error {
	want, got, err := r.both(ctx, list, way{})
	if err != nil {
		return err
	}
	for i, e := range list {
		at, err := r.deviates(ctx, e, want[i], got[i])
		if err != nil {
			return err
		}
		if at < 0 {
			continue
		}
		if err := r.add(ctx, e, at, want[i], got[i]); err != nil {
			return err
		}
	}
	return nil
}

// add adds the deviation of the smallest part of an expression that has one.
func (r *runner) add(ctx context.Context, e *expression, at int, want, got tensor.View) error {
	for {
		var smaller *expression
		for _, part := range e.args {
			if len(part.args) == 0 {
				continue
			}
			w, g, err := r.both(ctx, []*expression{part}, way{})
			if err != nil {
				return err
			}
			i, err := r.deviates(ctx, part, w[0], g[0])
			if err != nil {
				return err
			}
			if i >= 0 {
				smaller, at, want, got = part, i, w[0], g[0]
				break
			}
		}
		if smaller == nil {
			break
		}
		e = smaller
	}
	known := ""
	if !r.options.Simplify && !r.options.JIT {
		var err error
		if known, err = r.known(ctx, e, want); err != nil {
			return err
		}
	}
	key := e.String() + known
	if d := r.found[key]; d != nil {
		d.Count++
		return nil
	}
	d := &Deviation{
		Expression: e.String(), Folded: r.folded, Count: 1, Want: fmt.Sprint(want.At(at)), Got: fmt.Sprint(got.At(at)),
		Known: known,
	}
	var inputs []string
	e.each(func(part *expression) {
		if !part.isParameter() {
			return
		}
		if text := fmt.Sprintf("%s=%v", part.op, r.inputs[part.String()].At(at)); !slices.Contains(inputs, text) {
			inputs = append(inputs, text)
		}
	})
	d.Inputs = strings.Join(inputs, " ")
	r.found[key] = d
	r.result.Deviations = append(r.result.Deviations, d)
	return nil
}

// both returns what the interpreter and XLA make of expressions, with a way round.
func (r *runner) both(ctx context.Context, list []*expression, w way) (want, got []tensor.View, err error) {
	if want, err = r.results(ctx, &r.reference, list, w); err == nil {
		got, err = r.results(ctx, &r.compiler, list, w)
	}
	return want, got, err
}

func (r *runner) results(ctx context.Context, on *execute.Runner, list []*expression, w way) ([]tensor.View, error) {
	text, args := module(list, r.inputs, r.folded, w)
	a, crash, err := on.Run(ctx, text, args)
	if why := crash + a.Refused + a.Error; err == nil && why != "" {
		err = fmt.Errorf("%s: %s\n%s", on.Kind, why, text)
	}
	return a.Results, err
}

// deviates returns the first element in which two results differ, or -1. Elements that depend on a denormal
// number do not count, because XLA may take it for zero, and neither do those that the roundings of a part of the
// expression change by more than the tolerance, and expressions that depend on the order of a reduction.
func (r *runner) deviates(ctx context.Context, e *expression, want, got tensor.View) (int, error) {
	exact := e.isExact()
	var parts map[*expression]tensor.View
	for i := range length {
		if same(want.At(i), got.At(i), e.t, exact) {
			continue
		}
		if parts == nil {
			var err error
			if parts, err = r.parts(ctx, e); err != nil {
				return -1, err
			}
			if dependsOnOrder(e, parts) {
				return -1, nil
			}
		}
		if !e.has(func(part *expression) bool {
			return isDenormal(parts[part], i) || roundingError(part, parts, i) > progen.Tolerance[part.t]
		}) {
			return i, nil
		}
	}
	return -1, nil
}

// parts returns the values of all parts of an expression, by the interpreter.
func (r *runner) parts(ctx context.Context, e *expression) (map[*expression]tensor.View, error) {
	var list []*expression
	e.each(func(part *expression) { list = append(list, part) })
	results, err := r.results(ctx, &r.reference, list, way{})
	if err != nil {
		return nil, err
	}
	values := map[*expression]tensor.View{}
	for i, part := range list {
		values[part] = results[i]
	}
	return values, nil
}
