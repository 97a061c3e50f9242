package contract

import "fmt"

// Names returns how many operands of a call name its callback, or the callback's server: those before the data, and
// those after all others.
func (e Encoding) Names() (before, after int) {
	switch e {
	case EncodingServer:
		return 1, 0
	case EncodingOperand:
		return 0, 1
	}
	return 0, 0
}

// BindsEarly reports whether the callback of a call is known when the call is compiled: no operand names it or its
// server.
func (e Encoding) BindsEarly() bool {
	before, after := e.Names()
	return before+after == 0
}

// Split divides n operands into data, ids and tokens, in this order. Operands that name the callback are not among
// them.
func (c Config) Split(n int) (data, ids, tokens int, err error) {
	if min(c.NumIDs, c.NumTokens) < 0 || c.NumIDs > n || c.NumTokens > n-c.NumIDs {
		return 0, 0, 0, fmt.Errorf("contract: callback %q states %d ids and %d tokens, but has only %d operands",
			c.Name(), c.NumIDs, c.NumTokens, n)
	}
	return n - c.NumIDs - c.NumTokens, c.NumIDs, c.NumTokens, nil
}

// Filled returns how many results of a call its function gets, which come before all others. The operands are
// those that Split divides.
func (c Config) Filled(operands, results int) (int, error) {
	data, _, tokens, err := c.Split(operands)
	switch {
	case err != nil:
		return 0, err
	case c.Form == Observe:
		return 0, nil
	case c.Form == Passthrough && (operands != results || c.Host.Aliased > 0 && c.Host.Aliased != results):
		return 0,
			fmt.Errorf("contract: callback %q passes its operands through, but it has %d operands and %d results: "+
				"it needs one result for each operand", c.Name(), operands, results)
	case c.Form == Passthrough:
		return data, nil
	case tokens > results:
		return 0, fmt.Errorf("contract: callback %q has %d results, fewer than its %d tokens",
			c.Name(), results, tokens)
	}
	return results - tokens, nil
}
