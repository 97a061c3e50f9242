package preflight

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// checkOperand checks the operand that has what the attributes do not, in an encoding of
// other hosts.
func checkOperand(call stablehlo.CustomCallOp, encoding contract.Encoding) error {
	var i, rank int
	var dtype tensor.DType
	var what string
	switch encoding {
	case contract.EncodingOperand:
		i, dtype, what = len(call.Operands)-1, tensor.S64, "the last operand of a custom call without backend_config must be its callback's id, a tensor<i64>"
	case contract.EncodingServer:
		i, dtype, rank, what = 0, tensor.U8, 1, "the first operand must be the name of the callback's server, a tensor<Nxui8>"
	default:
		return nil
	}
	if len(call.Operands) == 0 {
		return fmt.Errorf("%s, but there are no operands", what)
	}
	t := call.Operands[i].Type()
	if s, err := stablehlo.ShapeOf(t); err != nil || s.DType != dtype || len(s.Dims) != rank || slices.Contains(s.Dims, -1) {
		return fmt.Errorf("%s, but it is %s", what, t)
	}
	return nil
}

// resolveFurther looks up the id in the attributes, in an encoding of other hosts. The rest
// is known only when the module runs.
func resolveFurther(config contract.Config) error {
	switch config.Encoding {
	case contract.EncodingWords:
		_, err := dispatch.ProbeOpaque(config)
		return err
	case contract.EncodingServer:
		if !dispatch.HasOpaque(config.Opaque) {
			return &callbacks.UnknownError{Callback: config.Name(), Missing: "callback"}
		}
	}
	return nil
}
