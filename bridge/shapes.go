package bridge

import (
	"slices"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Inputs returns the shapes of the module's parameters on one device, in the order in which
// [Executable.Run] takes the inputs, without runtime tokens. In a sharded module, the shape is
// that of one device's part. A parameter that is not an array of known dimensions has the zero
// Shape. The result is nil if the plugin does not report the parameters; then Run does not
// check its inputs. The caller may change the result.
func (e *Executable) Inputs() []tensor.Shape {
	e.given("Inputs")
	if !e.known {
		return nil
	}
	shapes := make([]tensor.Shape, len(e.params))
	for i, s := range e.params {
		shapes[i] = s.Clone()
	}
	return shapes
}

// Outputs returns the shapes of the module's results on one device, in the order in which
// [Executable.Run] returns the outputs, without runtime tokens. In a sharded module, the shape
// is that of one device's part. The result is nil if the plugin does not report them, or if one
// of them is not an array of known dimensions. The caller may change the result.
func (e *Executable) Outputs() []tensor.Shape {
	e.given("Outputs")
	if e.results == nil {
		return nil
	}
	shapes := make([]tensor.Shape, len(e.results))
	for i, r := range e.results {
		shapes[i] = r.Shape.Clone()
	}
	return shapes
}

// Shardings returns how the parameters and the results of a partitioned module are divided, in the order of
// [Executable.Inputs] and [Executable.Outputs]. The compiler may have chosen this, where the module does not say it.
// Each text has XLA's form, such as {devices=[2,2]<=[4]}, which Parse of stablehlo/sharding reads; {unknown} is one
// that has no such form. The devices in it are partitions, in the order in which [Executable.Run] takes their inputs. A
// list is nil if the module is not partitioned, or if the plugin does not report the shardings.
func (e *Executable) Shardings() (inputs, outputs []string) {
	e.given("Shardings")
	if e.partitions < 2 {
		return nil, nil
	}
	if e.known {
		inputs = e.withoutTokens(hlo.InputShardings(e.xla.Program), len(e.params))
	}
	if e.results != nil {
		outputs = e.withoutTokens(hlo.OutputShardings(e.xla.Program), len(e.results))
	}
	return inputs, outputs
}

// withoutTokens returns the n elements of a list that are not of runtime tokens, or nil if the list
// is too short.
func (e *Executable) withoutTokens(list []string, n int) []string {
	list = list[min(e.afterTokens(), len(list)):]
	if len(list) < n {
		return nil
	}
	return list[:n:n]
}

// readResults sets the results from the optimized program.
func (e *Executable) readResults(program []byte) {
	e.ordered = slices.Sorted(slices.Values(e.devices))
	results := hlo.Results(program)
	if len(results) != e.outputs {
		return
	}
	e.results = results
	for _, r := range results {
		e.resultBytes += deviceBytes(r.Shape) * int64(e.NumDevices())
	}
}
