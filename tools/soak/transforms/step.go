package transforms

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/vmap"
)

// A Step is one transformation of a function.
type Step struct {
	Kind       string // one of kinds
	Parameters []int  // of a derivative
	MaxSteps   int64
	Size       int64 // of a batch
	Axes       []*int
}

// kinds are the kinds of steps. The names are those of JAX.
var kinds = []string{
	"jvp", "vjp", "grad", "value_and_grad", "vmap", "jacfwd", "jacrev", "hessian", "checkpoint", "linearize",
	"linear_transpose",
}

// Transform adds the transformed function to the module.
func (s Step) Transform(m *mlir.Module, f mlir.Operation) (made mlir.Operation, err error) {
	o := autodiff.Options{Parameters: s.Parameters, MaxSteps: s.MaxSteps}
	switch s.Kind {
	case "vmap":
		batch := vmap.Options{Size: s.Size, Method: contract.Sequential}
		for _, axis := range s.Axes {
			if axis == nil {
				batch.In = append(batch.In, vmap.NotBatched)
			} else {
				batch.In = append(batch.In, *axis)
			}
		}
		return vmap.Batch(f, batch)
	case "jvp":
		return autodiff.JVP(f, o)
	case "vjp":
		forward, backward, err := autodiff.VJP(f, o)
		if err != nil {
			return made, err
		}
		return joined(m, f, forward, backward)
	case "jacfwd":
		return autodiff.JacFwd(f, o)
	case "jacrev":
		return autodiff.JacRev(f, o)
	case "checkpoint":
		return checkpoint(m, f)
	case "linearize":
		_, made, err := autodiff.Linearize(f, o)
		return made, err
	case "linear_transpose":
		return autodiff.LinearTranspose(f, o)
	}
	if f, err = total(m, f); err != nil {
		return made, err
	}
	switch s.Kind {
	case "grad":
		return autodiff.Grad(f, o)
	case "value_and_grad":
		return autodiff.ValueAndGrad(f, o)
	case "hessian":
		return autodiff.Hessian(f, o)
	}
	return made, fmt.Errorf("there is no transformation %q", s.Kind)
}

// errUnsuited is of a function that no other can call.
var errUnsuited = errors.New("the function is not wrapped")

// A writer writes a function that calls others of the module.
type writer struct {
	m                  *mlir.Module
	declarations, body strings.Builder
	values             int
}

// types returns the texts of the types of a function's parameters and results.
func types(f mlir.Operation) (parameters, results []string) {
	block := f.Region(0).First()
	for _, v := range block.Arguments() {
		parameters = append(parameters, v.Type().String())
	}
	for _, v := range block.Terminator().Operands() {
		results = append(results, v.Type().String())
	}
	return parameters, results
}

// names returns the names of n values.
func names(prefix string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(prefix, i))
	}
	return list
}

// value writes an operation of one result.
func (w *writer) value(format string, args ...any) string {
	w.values++
	name := fmt.Sprintf("%%v%d", w.values)
	fmt.Fprintf(&w.body, "%s = %s\n", name, fmt.Sprintf(format, args...))
	return name
}

// call writes a call of a function with further attributes, and returns the names of its results.
func (w *writer) call(f mlir.Operation, arguments []string, attributes string) []string {
	name, _ := f.Symbol()
	in, out := types(f)
	signature := fmt.Sprintf("(%s) -> (%s)", strings.Join(in, ", "), strings.Join(out, ", "))
	fmt.Fprintf(&w.declarations, "func.func private @%s%s\n", name, signature)
	w.values++
	results := names(fmt.Sprintf("%%v%d#", w.values), len(out))
	fmt.Fprintf(&w.body, "%%v%d:%d = func.call @%s(%s) %s : %s\n", w.values, len(out), name,
		strings.Join(arguments, ", "), attributes, signature)
	if len(out) == 1 {
		results = []string{fmt.Sprintf("%%v%d", w.values)}
	}
	return results
}

// function adds the function to the module.
func (w *writer) function(parameters, results, resultTypes []string) (made mlir.Operation, err error) {
	name := "wrapped"
	for n := 0; ; n++ {
		if _, taken := w.m.SymbolTable().Lookup(name); !taken {
			break
		}
		name = fmt.Sprint("wrapped", n)
	}
	list := slices.Clone(parameters)
	for i, t := range list {
		list[i] = fmt.Sprintf("%%arg%d: %s", i, t)
	}
	text := fmt.Sprintf("%s\nfunc.func @%s(%s) -> (%s) {\n%s\nreturn %s : %[4]s\n}", &w.declarations, name,
		strings.Join(list, ", "), strings.Join(resultTypes, ", "), &w.body, strings.Join(results, ", "))
	parsed, err := w.m.Context().Parse("wrapped", []byte(text))
	if err != nil {
		return made, fmt.Errorf("%w: %v", errUnsuited, err)
	}
	defer parsed.Close()
	made, _ = parsed.SymbolTable().Lookup(name)
	return w.m.Body().Append(made.Clone()), nil
}

// joined adds the function of the parameters and cotangents that returns the results of forward and of backward.
func joined(m *mlir.Module, f, forward, backward mlir.Operation) (made mlir.Operation, err error) {
	w := writer{m: m}
	parameters, results := types(f)
	arguments := names("%arg", len(parameters))
	kept := w.call(forward, arguments, "")
	in, out := types(backward)
	cotangents := in[len(kept)-len(results):]
	operands := slices.Concat(kept[len(results):], names("%arg", len(parameters)+len(cotangents))[len(parameters):])
	gradients := w.call(backward, operands, "")
	return w.function(slices.Concat(parameters, cotangents), slices.Concat(kept[:len(results)], gradients),
		slices.Concat(results, out))
}

// checkpoint adds a function that calls f as a checkpoint.
func checkpoint(m *mlir.Module, f mlir.Operation) (made mlir.Operation, err error) {
	w := writer{m: m}
	parameters, results := types(f)
	values := w.call(f, names("%arg", len(parameters)), `{calliope.checkpoint = "nothing_saveable"}`)
	return w.function(parameters, values, results)
}

// total adds a function that returns the sum of all elements of the results of f, with the imaginary parts of complex
// ones.
func total(m *mlir.Module, f mlir.Operation) (made mlir.Operation, err error) {
	w := writer{m: m}
	parameters, _ := types(f)
	values := w.call(f, names("%arg", len(parameters)), "")
	sum, scalar := "", ""
	add := func(x, t, element string, rank int) {
		scalar = "tensor<" + element + ">"
		if rank > 0 {
			zero := w.value("stablehlo.constant dense<0.0> : %s", scalar)
			x = w.value("stablehlo.reduce(%s init: %s) applies stablehlo.add across dimensions = [%s] : (%s, %s) -> %[5]s",
				x, zero, strings.Join(names("", rank), ", "), t, scalar)
		}
		if sum != "" {
			x = w.value("stablehlo.add %s, %s : %s", sum, x, scalar)
		}
		sum = x
	}
	for i, v := range f.Region(0).First().Terminator().OperandValues() {
		t := v.Type()
		if !t.IsRankedTensor() {
			continue
		}
		element := transform.Element(t)
		switch real, ok := element.ComplexElement(); {
		case ok:
			of, err := m.Context().TensorType(real, transform.Dims(v)...)
			if err != nil {
				return made, err
			}
			for _, part := range []string{"real", "imag"} {
				x := w.value("stablehlo.%s %s : (%s) -> %s", part, values[i], t, of)
				add(x, of.String(), real.String(), transform.Rank(v))
			}
		case transform.IsFloat(t):
			add(values[i], t.String(), element.String(), transform.Rank(v))
		}
	}
	return w.function(parameters, []string{sum}, []string{scalar})
}
