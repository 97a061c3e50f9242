package stages

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// rates are the speed of a device, for estimates.
type rates struct {
	inline    time.Duration // a call of compiled code, without the function
	execution time.Duration // one more execution of a stage
	crossing  float64       // bytes in a second between the device and the host
	compiled  float64       // bytes in a second that operations read and write
}

// The rates of a CPU are those of tools/bench -suite stages, rounded. They need not be exact: what is compared differs
// much.
var (
	clientRates      = rates{inline: time.Microsecond, execution: 10 * time.Microsecond, crossing: 10e9, compiled: 10e9}
	interpreterRates = rates{execution: 50 * time.Microsecond, crossing: 1e9, compiled: 20e6}
)

func ratesOf(d Device) rates {
	if d == Interpreter() {
		return interpreterRates
	}
	return clientRates
}

// duration returns how long bytes take at a number of bytes in a second.
func duration(bytes int, rate float64) time.Duration {
	return time.Duration(float64(bytes) / rate * float64(time.Second))
}

// decide returns what becomes of a callback.
func (c *cutter) decide(cb *Callback, o Options) (Decision, string) {
	inline, why := o.callsBack()
	lower := o.Lower[cb.Name] != nil && cb.pure
	switch forced := o.Force[cb.Name]; {
	case forced != Default:
		return forced, "Options.Force"
	case o.Strategy == Cheapest:
		return c.cheapest(cb, o, inline, lower)
	case inline:
		return Inline, why
	case lower:
		return Lower, "Options.Lower has it"
	}
	return Boundary, why
}

// cheapest returns the decision that costs least, with the costs of all that are possible.
func (c *cutter) cheapest(cb *Callback, o Options, inline, lower bool) (Decision, string) {
	r := ratesOf(o.devices()[0])
	in, out := cb.Bytes()
	lowered := duration(in+out, r.compiled)
	function, known := meanTime(c.stats, cb)
	if !known {
		function = lowered
	}
	best := Boundary
	least := function + r.execution + duration(in+out, r.crossing)
	costs := []string{fmt.Sprintf("%v cut", least.Round(100*time.Nanosecond))}
	consider := func(d Decision, cost time.Duration, name string) {
		costs = append(costs, fmt.Sprintf("%v %s", cost.Round(100*time.Nanosecond), name))
		if cost <= least {
			best, least = d, cost
		}
	}
	if lower {
		consider(Lower, lowered, "lowered")
	}
	if inline {
		consider(Inline, function+r.inline, "inline")
	}
	slices.Reverse(costs)
	text := "cheapest: " + strings.Join(costs, ", ")
	if !known {
		text += ", unmeasured"
	}
	return best, text
}

// meanTime returns the mean time of a callback's measured calls.
func meanTime(stats []callbacks.Stat, c *Callback) (mean time.Duration, known bool) {
	for _, s := range stats {
		if s.Callback == c.Name && s.Registry == c.Config.Registry && s.Latency.Count > 0 {
			return s.Latency.Total / time.Duration(s.Latency.Count), true
		}
	}
	return 0, false
}
