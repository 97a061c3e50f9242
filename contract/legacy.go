package contract

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/legacycall"
)

// validateLegacy returns an error if the keys of a legacy custom call are not valid.
func (c Config) validateLegacy() error {
	switch {
	case c.Legacy < 0 || c.Legacy > 3:
		return fmt.Errorf("contract: there is no legacy custom call of version %d: it is 1, 2 or 3", c.Legacy)
	case c.Legacy == 0 && (c.LegacyOpaque != "" || c.LegacyTuples != ""):
		return fmt.Errorf("contract: callback %q has legacy_opaque or legacy_tuples without the key \"legacy\"",
			c.Name())
	case c.Legacy > 0 && c.Form != Call && c.Form != Pure:
		return fmt.Errorf("contract: callback %q stands for a legacy custom call in the form %q: use the form call or pure", c.Name(), c.Form)
	case c.LegacyTuples != "":
		return legacycall.CheckTuples(c.LegacyTuples)
	}
	return nil
}
