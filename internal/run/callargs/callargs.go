// Package callargs finds the arguments of functions among the operands and results of their calls.
package callargs

import (
	"fmt"

	"github.com/calliope-mlir/calliope/contract"
)

// Data returns the operands and results of a call that its function gets: all but those that name the callback, ids
// and tokens.
func Data[T any](c contract.Config, operands, results []T) (args, filled []T, err error) {
	before, after := c.Host.Encoding.Names()
	if len(operands) < before+after {
		return nil, nil, fmt.Errorf("contract: callback %q lacks the operand that names it or its server", c.Name())
	}
	operands = operands[before : len(operands)-after]
	n, err := c.Filled(len(operands), len(results))
	if err != nil {
		return nil, nil, err
	}
	return operands[:len(operands)-c.NumIDs-c.NumTokens], results[:n], nil
}
