package contract

import (
	"fmt"
	"strconv"
	"strings"
)

// A Policy states which devices of a program make a call. "" is the default: see package builder. A Policy is one of
// the constants or what [Policy.On] makes of it.
type Policy string

const (
	// PerDevice is the policy of a call that each device makes, with its part of the arrays.
	PerDevice Policy = "per_device"
	// Once is the policy of a call that one device makes, the device 0.
	Once Policy = "once"
	// Gather is the policy of a call that one device makes, the device 0, with whole arrays that are
	// collected from all devices. All devices get its results.
	Gather Policy = "gather"
)

// On returns Once or Gather for another device, as in "once:2". The number is that of a partition or, in a program of
// replicas, of a replica.
func (p Policy) On(device int) Policy {
	if device == 0 {
		return p
	}
	return p + Policy(":"+strconv.Itoa(device))
}

// A Placement is a Policy, taken apart.
type Placement struct {
	Kind   Policy // PerDevice, Once, Gather, or "" for the default
	Device int    // that calls, of Once and Gather
}

// Placement takes a Policy apart. Any other text is an error.
func (p Policy) Placement() (Placement, error) {
	kind, number, numbered := strings.Cut(string(p), ":")
	to := Placement{Kind: Policy(kind)}
	switch {
	case !numbered && (kind == "" || to.Kind == PerDevice || to.Kind == Once || to.Kind == Gather):
		return to, nil
	case numbered && (to.Kind == Once || to.Kind == Gather):
		if n, err := strconv.ParseUint(number, 10, 31); err == nil && number == strconv.FormatUint(n, 10) {
			to.Device = int(n)
			return to, nil
		}
	}
	return Placement{}, fmt.Errorf("contract: there is no device policy %q: use %q, %q or %q, the last two also with a device, as in %q",
		p, PerDevice, Once, Gather, Once.On(1))
}
