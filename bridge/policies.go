package bridge

import (
	"bytes"
	"fmt"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/contract"
)

// checkPolicies returns an error if the device policy of a call names a device that the program
// does not run on: no device would make the call.
func checkPolicies(program []byte, targets map[string]bool, devices int) error {
	if !bytes.Contains(program, []byte("policy")) {
		return nil // most programs, without a look at their instructions
	}
	for _, call := range hlo.Calls(program, targets) {
		s := callSite(call)
		p, err := contract.ParsePolicy(s.Config.Policy)
		if err != nil {
			return fmt.Errorf("bridge: compile: callback %q: %w", s.Name, err)
		}
		if p.Device >= devices {
			return fmt.Errorf("bridge: compile: callback %q is called by device %d only (policy %q), and the program runs on %d: increase Replicas or Partitions, or name another device",
				s.Name, p.Device, s.Config.Policy, devices)
		}
	}
	return nil
}
