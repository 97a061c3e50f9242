package vmap

import (
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// lapack makes one of JAX's calls of LAPACK, which take batches of matrices, for the batch, whose dimension is the
// outermost one in memory.
func (b *batcher) lapack(op mlir.Operation) []mlir.Value {
	custom, _ := stablehlo.AsCustomCall(op)
	if strings.HasSuffix(custom.Target, "trsm_ffi") && !b.batched(op.Operand(0)) {
		return b.solve(op, transform.Option(op, "side") == 'L')
	}
	operands := b.all(op)
	var attributes []mlir.NamedAttribute
	if custom.OperandLayouts != nil {
		for _, layouts := range [][][]int64{custom.OperandLayouts, custom.ResultLayouts} {
			for i, minorToMajor := range layouts {
				layouts[i] = append(after(minorToMajor), 0)
			}
		}
		for _, a := range transform.Must(custom.Attributes(b.Context)) {
			if strings.HasSuffix(a.Name, "_layouts") {
				attributes = append(attributes, a)
			}
		}
	}
	if a, ok := op.Attribute("mhlo.frontend_attributes"); ok {
		var entries []mlir.NamedAttribute
		for name, value := range a.Entries() {
			if text, _ := value.Text(); name == "num_batch_dims" {
				n, err := strconv.Atoi(text)
				transform.Check(err)
				value = b.Context.StringAttribute(strconv.Itoa(n + 1))
			}
			entries = append(entries, mlir.NamedAttribute{Name: name, Value: value})
		}
		attributes = append(attributes, mlir.NamedAttribute{
			Name: "mhlo.frontend_attributes", Value: b.Context.DictionaryAttribute(entries...),
		})
	}
	return b.apply(op, operands, attributes...)
}
