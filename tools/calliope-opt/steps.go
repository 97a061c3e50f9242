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
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
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

// derivatives are the steps that add functions to the module.
var derivatives = map[string]func(mlir.Operation, autodiff.Options) error{
	"jvp":            derivative(autodiff.JVP),
	"grad":           derivative(autodiff.Grad),
	"value-and-grad": derivative(autodiff.ValueAndGrad),
	"vjp": func(f mlir.Operation, o autodiff.Options) error {
		_, _, err := autodiff.VJP(f, o)
		return err
	},
}

func derivative(of func(mlir.Operation, autodiff.Options) (mlir.Operation, error)) func(mlir.Operation, autodiff.Options) error {
	return func(f mlir.Operation, o autodiff.Options) error {
		_, err := of(f, o)
		return err
	}
}

// rewritings are the steps that change the whole module.
var rewritings = map[string]func(*mlir.Module) error{
	"add-runtime-tokens":    rewriting(passes.AddRuntimeTokens),
	"apply-policies":        rewriting(passes.ApplyPolicies),
	"constrain-layouts":     rewriting(passes.ConstrainLayouts),
	"drop-chained-tokens":   rewriting(passes.DropChainedTokens),
	"expand-integer-powers": rewriting(passes.ExpandIntegerPowers),
	"keep-conditions":       rewriting(passes.KeepConditions),
	"keep-values":           rewriting(passes.KeepValues),
	"let-overlap":           rewriting(passes.LetOverlap),
	"migrate":               migrate,
	"narrow-unsigned":       rewriting(passes.NarrowUnsigned),
	"order-effects":         rewriting(passes.OrderEffects),
	"prepare":               func(m *mlir.Module) error { return passes.Prepare(m, passes.PrepareOptions{}) },
	"remove-empty-loops":    rewriting(passes.RemoveEmptyLoops),
	"state-signedness":      rewriting(passes.StateSignedness),
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
	return func(yield func(string) bool) {
		for _, names := range [][]string{slices.Collect(maps.Keys(derivatives)), slices.Collect(maps.Keys(rewritings))} {
			for _, name := range names {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// stepOf returns the step of a flag.
func stepOf(name, value string) (step, error) {
	if f, ok := rewritings[name]; ok {
		if value != "" {
			return step{}, fmt.Errorf("it takes no value")
		}
		return step{name: name, run: f}, nil
	}
	if f, ok := derivatives[name]; ok {
		symbol, parameters, err := differentiated(value)
		return step{name: name + " " + value, run: func(m *mlir.Module) error {
			op, ok := m.SymbolTable().Lookup(symbol)
			if !ok {
				return fmt.Errorf("the module has no function @%s", symbol)
			}
			return f(op, autodiff.Options{Parameters: parameters})
		}}, err
	}
	return step{name: name, pass: pass{name: name, options: value}}, nil
}

// differentiated reads the value of a derivative, such as loss:0,2. Parameters are nil without a colon.
func differentiated(value string) (symbol string, parameters []int, err error) {
	symbol, list, given := strings.Cut(value, ":")
	if symbol = strings.TrimPrefix(symbol, "@"); symbol == "" {
		return "", nil, fmt.Errorf("the function is missing: give its name, such as main or main:0,2")
	}
	if !given {
		return symbol, nil, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		i, err := strconv.Atoi(text)
		if err != nil || i < 0 {
			return "", nil, fmt.Errorf("%q is no parameter: use numbers from 0, such as %s:0,2", text, symbol)
		}
		parameters = append(parameters, i)
	}
	return symbol, parameters, nil
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
