package contract

import (
	"fmt"
	"strconv"
	"strings"
)

// The policies of Config.Policy state which devices of a program make a call. Once and Gather
// may be followed by a colon and the number of a device, as in "once:2". The number is that of a
// partition or, in a program of replicas, of a replica. Without it the device is 0.
const (
	// PerDevice is the policy of a call that each device makes, with its part of the arrays.
	PerDevice = "per_device"
	// Once is the policy of a call that one device makes.
	Once = "once"
	// Gather is the policy of a call that one device makes, with whole arrays that are
	// collected from all devices. All devices get its results.
	Gather = "gather"
)

// A Policy is a Config.Policy, taken apart.
type Policy struct {
	Kind   string // PerDevice, Once, Gather, or "" for the default
	Device int    // that calls, of Once and Gather
}

// ParsePolicy reads a Config.Policy. "" is the zero Policy.
func ParsePolicy(text string) (Policy, error) {
	kind, number, numbered := strings.Cut(text, ":")
	switch {
	case !numbered && (kind == "" || kind == PerDevice || kind == Once || kind == Gather):
		return Policy{Kind: kind}, nil
	case numbered && (kind == Once || kind == Gather):
		p := Policy{Kind: kind}
		if n, err := strconv.ParseUint(number, 10, 31); err == nil && number == strconv.FormatUint(n, 10) {
			p.Device = int(n)
			return p, nil
		}
	}
	return Policy{}, fmt.Errorf("contract: there is no device policy %q: use %q, %q or %q, the last two also with a device, as in %q",
		text, PerDevice, Once, Gather, Policy{Once, 1})
}

// String returns the policy as ParsePolicy reads it.
func (p Policy) String() string {
	if p.Device == 0 {
		return p.Kind
	}
	return p.Kind + ":" + strconv.Itoa(p.Device)
}
