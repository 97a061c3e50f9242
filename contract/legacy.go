package contract

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/run/legacycall"
)

// A Legacy is a custom call of XLA's old conventions.
type Legacy struct {
	Version int64  // its api_version, 1 to 3; 0 is none
	Opaque  string // the bytes of its opaque string
	Tuples  string // those of its operands and its result, such as "(.,(.,.),.)->(.,.)": each point is an array
}

// validateLegacy returns an error if the keys of a legacy custom call are not valid.
func (c Config) validateLegacy() error {
	switch l := c.Legacy; {
	case l.Version < 0 || l.Version > 3:
		return fmt.Errorf("contract: there is no legacy custom call of version %d: it is 1, 2 or 3", l.Version)
	case l.Version == 0 && (l.Opaque != "" || l.Tuples != ""):
		return fmt.Errorf("contract: callback %q has legacy_opaque or legacy_tuples without the key \"legacy\"",
			c.Name())
	case l.Version > 0 && c.Form != Call && c.Form != Pure:
		return fmt.Errorf("contract: callback %q stands for a legacy custom call in the form %q: use the form call or pure", c.Name(), c.Form)
	case l.Tuples != "":
		return legacycall.CheckTuples(l.Tuples)
	}
	return nil
}
