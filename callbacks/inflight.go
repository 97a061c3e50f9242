package callbacks

import (
	"fmt"
	"time"
)

// An InFlightCall is a call in flight.
type InFlightCall struct {
	Callback string // the name, or "id N"
	Registry string
	Device   int
	RunID    int64
	Dispatch Dispatch
	Since    time.Time
	Running  bool // the function is running; otherwise the call waits for a worker
	Lost     bool // the function is still running after its call was stopped
}

// String describes the call in one line.
func (c InFlightCall) String() string {
	doing := "running"
	switch {
	case c.Lost:
		doing = "lost: its call was stopped, but the function has been running"
	case !c.Running:
		doing = "waiting for a worker"
	}
	return fmt.Sprintf("callback %q on device %d in run %d (%v): %s for %v",
		c.Callback, c.Device, c.RunID, c.Dispatch, doing, time.Since(c.Since).Round(time.Millisecond))
}

// InFlight returns the calls in flight, the oldest first. Inline calls are included only if
// their registry has a watchdog (RegistryOptions.Watch). Of the queued calls it includes
// only the first of each device.
func InFlight() []InFlightCall { return engine.InFlight() }
