package rules

import (
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// UnusableDonation reports donated parameters whose memory no result can use.
var UnusableDonation = &lint.Analyzer{
	Name:     "unusable-donation",
	Doc:      "a parameter is donated, and no result can use its memory",
	Run:      unusableDonation,
	Severity: finding.Warning,
	Details: `Severity: warning.

A donated parameter gives its memory to a result: tf.aliasing_output names the result, and with jax.buffer_donor the compiler
chooses one of the same size. If there is none, the caller loses the array, and nothing is saved.

    func.func public @main(%x: tensor<8xf32> {jax.buffer_donor = true}) -> tensor<4xf32>

Do not donate the parameter, or return an array of its size. A tf.aliasing_output of a result that does not exist or is of
another type does not compile. The rule reads @main of modules for one partition, because the sizes of divided arrays depend
on shardings. Source: XLA's documentation of aliasing, and jax.jit of donated arguments.`,
}

func unusableDonation(p *lint.Pass) error {
	if partitions, _ := countOf(p.Module, "mhlo.num_partitions"); partitions > 1 {
		return nil
	}
	for main := range p.Operations("func.func") {
		attributes, ok := main.Attribute("arg_attrs")
		if name, _ := main.Symbol(); name != "main" || !ok {
			continue
		}
		a, _ := main.Attribute("function_type")
		t, _ := a.TypeValue()
		in, out, _ := t.Signature()
		free := slices.Clone(out)
		var donors []int
		list, _ := attributes.Elements()
		for i, of := range list {
			if output, ok := of.Entry("tf.aliasing_output"); ok {
				n, _ := output.Int()
				if n < 0 || n >= int64(len(out)) || out[n] != in[i] {
					p.Report(main, finding.Warning, "argument %d is donated to result %d by tf.aliasing_output, which is no result of the type %s",
						i, n, in[i])
				} else {
					free[n] = mlir.Type{}
				}
			} else if _, ok := of.Entry("jax.buffer_donor"); ok {
				donors = append(donors, i)
			}
		}
		for _, i := range donors {
			fits := func(t mlir.Type) bool { return !t.IsNil() && (t == in[i] || sizeOf(t) == sizeOf(in[i])) }
			if n := slices.IndexFunc(free, fits); n >= 0 {
				free[n] = mlir.Type{}
				continue
			}
			p.Report(main, finding.Warning, "argument %d is donated, and no result is left that can use the memory of %s: do not donate it",
				i, in[i])
		}
	}
	return nil
}

// sizeOf returns the bytes of an array, or 0 if they are not known.
func sizeOf(t mlir.Type) int {
	shape, err := stablehlo.ShapeOf(t)
	if err != nil || shape.Check() != nil {
		return 0
	}
	return shape.NumBytes()
}
