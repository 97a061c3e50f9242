package main

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/vmap"
)

// A step is a part of the command line that changes the module.
type step struct {
	name string // as an error names it
	pass pass   // a pass of the library; adjacent ones are run together
	run  func(m *mlir.Module) error
}

// A pass is what a pass manager adds: a pass, or a pipeline with the operation that it runs on.
type pass struct {
	name, options string
	pipeline      string
}

// transformations are the steps that add functions to the module. They read the value of their flag, and the options of
// derivatives when they run.
var transformations = map[string]func(value string, o *autodiff.Options) (func(*mlir.Module) error, error){
	"batch":            batch,
	"grad":             derivative(autodiff.Grad),
	"hessian":          derivative(autodiff.Hessian),
	"jac-fwd":          derivative(autodiff.JacFwd),
	"jac-rev":          derivative(autodiff.JacRev),
	"jvp":              derivative(autodiff.JVP),
	"linear-transpose": derivative(autodiff.LinearTranspose),
	"linearize":        derivative(first(autodiff.Linearize)),
	"value-and-grad":   derivative(autodiff.ValueAndGrad),
	"vjp":              derivative(first(autodiff.VJP)),
}

// first leaves out the second function that is made.
func first(
	of func(mlir.Operation, autodiff.Options) (a, b mlir.Operation, err error),
) func(mlir.Operation, autodiff.Options) (mlir.Operation, error) {
	return func(f mlir.Operation, o autodiff.Options) (mlir.Operation, error) {
		a, _, err := of(f, o)
		return a, err
	}
}

// derivative returns the transformation for a function of autodiff.
func derivative(
	of func(mlir.Operation, autodiff.Options) (mlir.Operation, error),
) func(value string, all *autodiff.Options) (func(*mlir.Module) error, error) {
	return func(value string, all *autodiff.Options) (func(*mlir.Module) error, error) {
		symbol, list, given := strings.Cut(value, ":")
		var parameters []int
		if given {
			for text := range strings.SplitSeq(list, ",") {
				i, err := strconv.Atoi(text)
				if err != nil || i < 0 {
					return nil, fmt.Errorf("%q is no parameter: use numbers from 0, such as %s:0,2", text, symbol)
				}
				parameters = append(parameters, i)
			}
		}
		return to(symbol, func(f mlir.Operation) error {
			o := *all
			o.Parameters = parameters
			_, err := of(f, o)
			return err
		})
	}
}

// batch is the transformation of package vmap.
func batch(value string, _ *autodiff.Options) (func(*mlir.Module) error, error) {
	parts := strings.Split(value, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return nil, fmt.Errorf("%q is not FUNCTION:SIZE or FUNCTION:SIZE:AXES, such as main:8:0,-", value)
	}
	size, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is no size of a batch", parts[1])
	}
	o := vmap.Options{Size: size, Method: contract.Sequential}
	if len(parts) == 3 {
		for text := range strings.SplitSeq(parts[2], ",") {
			axis := vmap.NotBatched
			if text != "-" {
				if axis, err = strconv.Atoi(text); err != nil {
					return nil, fmt.Errorf("%q is no axis: use a number, or - for a parameter without a batch", text)
				}
			}
			o.In = append(o.In, axis)
		}
	}
	return to(parts[0], func(f mlir.Operation) error {
		_, err := vmap.Batch(f, o)
		return err
	})
}

// to returns what transforms a function of a module.
func to(symbol string, transform func(f mlir.Operation) error) (func(*mlir.Module) error, error) {
	if symbol = strings.TrimPrefix(symbol, "@"); symbol == "" {
		return nil, errors.New("the function is missing: begin with its name")
	}
	return func(m *mlir.Module) error {
		f, ok := m.SymbolTable().Lookup(symbol)
		if !ok {
			return fmt.Errorf("the module has no function @%s", symbol)
		}
		return transform(f)
	}, nil
}

// rewritings are the steps that change the whole module.
var rewritings = map[string]func(*mlir.Module) error{
	"add-booleans":              rewriting(xlafix.AddBooleans),
	"add-runtime-tokens":        rewriting(passes.AddRuntimeTokens),
	"apply-policies":            rewriting(passes.ApplyPolicies),
	"constrain-layouts":         rewriting(xlafix.ConstrainLayouts),
	"correct-trip-counts":       rewriting(xlafix.CorrectTripCounts),
	"drop-chained-tokens":       rewriting(passes.DropChainedTokens),
	"expand-integer-powers":     rewriting(xlafix.ExpandIntegerPowers),
	"expand-mesh-axes":          rewriting(passes.ExpandMeshAxes),
	"keep-bitcasts":             rewriting(xlafix.KeepBitcasts),
	"keep-conditions":           rewriting(xlafix.KeepConditions),
	"keep-shifted-updates":      rewriting(xlafix.KeepShiftedUpdates),
	"keep-values":               rewriting(xlafix.KeepValues),
	"let-overlap":               rewriting(passes.LetOverlap),
	"make-random-bits-unsigned": rewriting(xlafix.MakeRandomBitsUnsigned),
	"migrate":                   migrate,
	"narrow-unsigned":           rewriting(xlafix.NarrowUnsigned),
	"order-effects":             rewriting(passes.OrderEffects),
	"prepare":                   func(m *mlir.Module) error { return passes.Prepare(m, passes.PrepareOptions{}) },
	"remove-empty-loops":        rewriting(xlafix.RemoveEmptyLoops),
	"separate-channels":         rewriting(xlafix.SeparateChannels),
	"state-signedness":          rewriting(xlafix.StateSignedness),
	"strip-taps": func(m *mlir.Module) error {
		_, err := passes.StripTaps(m, nil)
		return err
	},
}

func rewriting[T any](f func(*mlir.Module) (T, error)) func(*mlir.Module) error {
	return func(m *mlir.Module) error {
		_, err := f(m)
		return err
	}
}

// migrate replaces old host calls. What it does not recognise is an error, because it stays.
func migrate(m *mlir.Module) error {
	result, err := passes.Migrate(m, passes.MigrateOptions{})
	for _, s := range result.Skipped {
		err = errors.Join(err, errors.New(s.String()))
	}
	return err
}

// ownNames returns the names of the steps that are not passes of the library.
func ownNames() iter.Seq[string] {
	return slices.Values(slices.AppendSeq(slices.AppendSeq([]string{printAfter}, maps.Keys(transformations)),
		maps.Keys(rewritings)))
}

// stepOf returns the step of a flag.
func (o *options) stepOf(name, value string) (step, error) {
	if f, ok := rewritings[name]; ok {
		if value != "" {
			return step{}, fmt.Errorf("it takes no value")
		}
		return step{name: name, run: f}, nil
	}
	if read, ok := transformations[name]; ok {
		run, err := read(value, o.derivatives)
		return step{name: name + " " + value, run: run}, err
	}
	if name == printAfter {
		return step{name: name + " " + value, run: o.printAfter(value)}, nil
	}
	return step{name: name, pass: pass{name: name, options: value}}, nil
}

func pipelineStep(text string) step {
	return step{name: "the pipeline " + text, pass: pass{pipeline: text}}
}

// add adds the pass to a pass manager of modules. A pass that does not run on modules runs on their functions.
func (p pass) add(list mlir.PassList) error {
	text := p.name
	if p.options != "" {
		text += "{" + p.options + "}"
	}
	err := list.Add(text)
	if err != nil && list.Nest("func.func").Add(text) == nil {
		return nil
	}
	return err
}
