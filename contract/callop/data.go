package callop

import (
	"fmt"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/callargs"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Data returns the types of the operands and results of a call that its function gets: see callargs.Data. The error
// says which ones do not fit the Config.
func Data(c contract.Config, operands, results []mlir.Type) (args, filled []mlir.Type, err error) {
	if err := checkNames(c.Host.Encoding, operands); err != nil {
		return nil, nil, err
	}
	args, filled, err = callargs.Data(c, operands, results)
	if err != nil || c.Form != contract.Passthrough {
		return args, filled, err
	}
	before, _ := c.Host.Encoding.Names()
	for i, t := range results {
		if of := operands[before+i]; !of.Equal(t) {
			return nil, nil,
				fmt.Errorf("callback %q passes its operands through, but operand %d is %s and its result is %s: "+
					"they must have the same type", c.Name(), i, of, t)
		}
	}
	return args, filled, nil
}

// DataShapes returns the shapes of what Data returns. If one of them is no array, there are none and arrays is false.
func DataShapes(
	c contract.Config, operands, results []mlir.Type,
) (in, out []tensor.Shape, arrays bool, err error) {
	args, filled, err := Data(c, operands, results)
	if err != nil {
		return nil, nil, false, err
	}
	in, errIn := Shapes(args)
	out, errOut := Shapes(filled)
	return in, out, errIn == nil && errOut == nil, nil
}

// checkNames checks the operand that names a callback, or its server.
func checkNames(e contract.Encoding, operands []mlir.Type) error {
	var i, rank int
	var dtype tensor.DType
	var what string
	switch e {
	case contract.EncodingOperand:
		i, dtype = len(operands)-1, tensor.S64
		what = "the last operand of a custom call without backend_config must be its callback's id, a tensor<i64>"
	case contract.EncodingServer:
		dtype, rank, what = tensor.U8, 1, "the first operand must be the name of the callback's server, a tensor<Nxui8>"
	default:
		return nil
	}
	if len(operands) == 0 {
		return fmt.Errorf("%s, but there are no operands", what)
	}
	s, err := stablehlo.ShapeOf(operands[i])
	if err != nil || s.DType != dtype || s.Rank() != rank || s.Check() != nil {
		return fmt.Errorf("%s, but it is %s", what, operands[i])
	}
	return nil
}
