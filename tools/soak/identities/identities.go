package identities

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
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

// Run makes random programs, runs them by the XLA of a plugin, or by package jit, and by the interpreter, and
// compares what they return. The same options make the same programs. Options.JIT needs no plugin.
func Run(ctx context.Context, library *mlir.Library, plugin *bridge.Plugin, o Options) (*Result, error) {
	g := &generator{rand.New(rand.NewPCG(o.Seed, 0))}
	r := &runner{library: library, options: o, found: map[string]*Deviation{}}
	if !o.JIT {
		client, err := plugin.NewClient(bridge.ClientOptions{})
		if err != nil {
			return nil, err
		}
		defer client.Close()
		r.client, r.pjrt = client, plugin.Info().PJRT
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
	library *mlir.Library
	client  *bridge.Client // nil with Options.JIT
	options Options
	pjrt    string // the plugin's version
	inputs  map[string]tensor.View
	folded  bool
	found   map[string]*Deviation // by expression and reason
	result  Result
}

// compare adds the deviations of expressions.
func (r *runner) compare(ctx context.Context, list []*expression) error {
	want, got, err := r.both(ctx, list, way{})
	if err != nil {
		return err
	}
	for i, e := range list {
		at, err := r.deviates(e, want[i], got[i])
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
			i, err := r.deviates(part, w[0], g[0])
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
	text, args := module(list, r.inputs, r.folded, w)
	fail := func(err error) error { return fmt.Errorf("%w\n%s", err, text) }
	c := r.library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse("identities.mlir", []byte(text))
	if err != nil {
		return nil, nil, fail(err)
	}
	defer m.Close()
	if want, err = stablehlo.Evaluate(m, args...); err != nil {
		return nil, nil, fail(err)
	}
	e, err := r.compile(ctx, m)
	if err != nil {
		return nil, nil, fail(err)
	}
	defer e.Close()
	if got, err = e.Call(ctx, args...); err != nil {
		return nil, nil, fail(err)
	}
	return want, got, nil
}

type executable interface {
	Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error)
	Close() error
}

func (r *runner) compile(ctx context.Context, m *mlir.Module) (executable, error) {
	if r.options.JIT {
		return jit.Compile(ctx, m, jit.Options{})
	}
	return r.client.Compile(ctx, passes.Program(m, passes.PrepareOptions{}),
		engine.CompileOptions{Exact: !r.options.Simplify})
}

// deviates returns the first element in which two results differ, or -1. Elements that depend on a denormal
// number do not count, because XLA may take it for zero, and neither do those that the roundings of a part of the
// expression change by more than the tolerance, and expressions that depend on the order of a reduction.
func (r *runner) deviates(e *expression, want, got tensor.View) (int, error) {
	exact := e.isExact()
	var parts map[*expression]tensor.View
	for i := range length {
		if same(want.At(i), got.At(i), e.t, exact) {
			continue
		}
		if parts == nil {
			var err error
			if parts, err = r.parts(e); err != nil {
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
func (r *runner) parts(e *expression) (map[*expression]tensor.View, error) {
	var list []*expression
	e.each(func(part *expression) { list = append(list, part) })
	text, args := module(list, r.inputs, r.folded, way{})
	c := r.library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse("parts.mlir", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	defer m.Close()
	results, err := stablehlo.Evaluate(m, args...)
	if err != nil {
		return nil, err
	}
	values := map[*expression]tensor.View{}
	for i, part := range list {
		values[part] = results[i]
	}
	return values, nil
}
