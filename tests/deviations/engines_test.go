package deviations

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// An engineDeviation is a module on which package jit or the interpreter differs from the specification, or from XLA.
type engineDeviation struct {
	title  string
	module string // testdata/<module>.mlir
	about  string
	inputs []tensor.View
	// says is what each engine makes of the module: its results, or refuses.
	says   map[string]string
	advice string
}

// engineNames are in the order of the page. XLA is the default plugin with a prepared module.
var engineNames = []string{"package jit", "interpreter", "XLA"}

func engines(jit, interpreter, xla string) map[string]string {
	return map[string]string{"package jit": jit, "interpreter": interpreter, "XLA": xla}
}

var engineDeviations = []engineDeviation{
	{title: "Quantized numbers", module: "engine-quantized",
		about:  "stablehlo.Evaluate has no quantized numbers. Package jit and the preparation make integers of them.",
		inputs: []tensor.View{tensor.Vector[float32](1.1, -2)},
		says:   engines("f32[2] [1 -2]", refuses, "f32[2] [1 -2]"),
		advice: "the passes stablehlo-legalize-quant-to-math and chlo-legalize-to-stablehlo before."},
	{title: "Shapes that are operands", module: "engine-dynamic-pad",
		about:  "Package jit and XLA have no dynamic_conv, dynamic_gather and dynamic_pad whose sizes are no constants.",
		inputs: []tensor.View{tensor.Vector[float32](1, 2), tensor.Vector[int64](1)},
		says:   engines(refuses, "f32[4] [0 1 2 0]", refuses),
		advice: "the static forms, of which stablehlo.Refine makes some."},
	{title: "Numbers of a hidden state", module: "engine-rng",
		about: "The operation rng has a hidden state, which the interpreter has not. Package jit and XLA draw other numbers\n" +
			"in each run.",
		says:   engines("pred[3] [true true true]", refuses, "pred[3] [true true true]"),
		advice: "another engine."},
	{title: "Factorizations", module: "engine-cholesky",
		about: "The interpreter has no cholesky, triangular_solve, fft, batch_norm_training, batch_norm_inference,\n" +
			"batch_norm_grad, rng_bit_generator, real_dynamic_slice and torch_index_select.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.F32, 1, 1), Data: []byte{0, 0, 0x80, 0x40}}},
		says:   engines("f32[1,1] [2]", refuses, "f32[1,1] [2]"),
		advice: "another engine."},
	{title: "Products of nothing", module: "engine-empty-dot",
		about: "The interpreter refuses products over a dimension of size 0, which would end its process.",
		inputs: []tensor.View{{Shape: tensor.ShapeOf(tensor.F32, 2, 0), Data: []byte{}},
			{Shape: tensor.ShapeOf(tensor.F32, 0, 1), Data: []byte{}}},
		says:   engines("f32[2,1] [0 0]", refuses, "f32[2,1] [0 0]"),
		advice: "another engine."},
	{title: "Complex powers of zero", module: "engine-complex-power",
		about:  "The interpreter computes a complex power as exp(y · log(x)), which is NaN for 0⁰.",
		inputs: []tensor.View{tensor.Vector[complex64](0, 2), tensor.Vector[complex64](0, 0)},
		says:   engines("c64[2] [(1+0i) (1+0i)]", "c64[2] [(NaN+NaNi) (1+0i)]", "c64[2] [(1+0i) (1+0i)]"),
		advice: "another engine."},
}

// run runs the module of a deviation on an engine, and returns the results as text, or refuses.
func (d *engineDeviation) run(ctx context.Context, on string) (text string, err error) {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(file(d.module))
	if err != nil {
		return "", err
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	if err := stablehlo.LoadQuant(c); err != nil {
		return "", err
	}
	m, err := c.Parse(d.module, source)
	if err != nil {
		return "", err
	}
	defer m.Close()
	results, err := d.results(ctx, on, m)
	if isRefusal(err) {
		return refuses, nil
	}
	return texts(results), err
}

// isRefusal reports whether an error says that an engine does not support an operation, with its place.
func isRefusal(err error) bool {
	if u, ok := errors.AsType[*jit.UnsupportedError](err); ok {
		return len(u.Operations) > 0
	}
	_, notEvaluated := errors.AsType[*stablehlo.EvaluateError](err)
	_, notTranslated := errors.AsType[*bridge.PluginError](err)
	return notEvaluated || notTranslated
}

func (d *engineDeviation) results(ctx context.Context, on string, m *mlir.Module) ([]tensor.View, error) {
	switch on {
	case "package jit":
		e, err := jit.Compile(ctx, m, jit.Options{})
		if err != nil {
			return nil, err
		}
		defer e.Close()
		return e.Call(ctx, d.inputs...)
	case "interpreter":
		return stablehlo.Evaluate(m, d.inputs...)
	}
	p, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return nil, err
	}
	client, err := p.NewClient(bridge.ClientOptions{})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	e, err := client.Compile(ctx, passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return e.Call(ctx, d.inputs...)
}

// TestEngines holds that each deviation is still there. One that is not is to be taken out of the list.
func TestEngines(t *testing.T) {
	for _, d := range engineDeviations {
		for _, engine := range engineNames {
			t.Run(d.module+"/"+engine, func(t *testing.T) {
				got, err := d.run(t.Context(), engine)
				check.NoError(t, err)
				check.Diff(t, "result", d.says[engine], got)
			})
		}
	}
}

const enginePage = "../../docs/reference/jit-deviations.md"

// TestPageOfEngines holds docs/reference/jit-deviations.md against the list; with -update it writes it.
func TestPageOfEngines(t *testing.T) {
	var b strings.Builder
	b.WriteString(engineHead)
	for _, d := range engineDeviations {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```mlir\n%s```\n\n", d.title, d.about, text(t, d.module))
		if len(d.inputs) > 0 {
			fmt.Fprintf(&b, "With `%s`:\n\n", texts(d.inputs))
		}
		b.WriteString("| engine | results |\n|---|---|\n")
		for _, engine := range engineNames {
			says := d.says[engine]
			if says != refuses {
				says = "`" + says + "`"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", engine, says)
		}
		fmt.Fprintf(&b, "\nWay round: %s\n", d.advice)
	}
	if *update {
		check.NoError(t, os.WriteFile(enginePage, []byte(b.String()), 0o644))
	}
	got, err := os.ReadFile(enginePage)
	check.NoError(t, err)
	if b.String() != string(got) {
		check.Diff(t, "the page (go generate ./tests/deviations writes it)", b.String(), string(got))
	}
}

const engineHead = `# Where package jit and the interpreter deviate

[Package jit](../jit.md) and StableHLO's reference interpreter, which stablehlo.Evaluate and package stages run, compute what
StableHLO's specification says but for these cases. Each has a module, and what the engines make of it: a module that one does
not support is an error that names the operation and its place. XLA is the default plugin with a prepared module;
[xla-deviations.md](xla-deviations.md) has its own cases.

Where the specification leaves the result open, engines differ, too: the order in which a reduction or product adds, the last bits
of functions such as sine, NaN's bits, which parts of sums and complex
numbers with infinities are NaN, and the quotient of an integer by zero.

Most cases were found by ` + "`go run ./tools/soak operations`" + `, which knows them: what it finds beyond is a mistake.

This file is written by ` + "`go generate ./tests/deviations`" + `. The test ` + "`go test ./tests/deviations`" + ` runs each
module, and checks that the deviation is still there.
`
