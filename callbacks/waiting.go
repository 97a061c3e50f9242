package callbacks

import (
	"fmt"
	"time"
)

// Underway is a call that is under way.
type Underway struct {
	Callback string // the name, or "id N"
	Registry string
	Device   int
	RunID    int64
	Dispatch Dispatch
	Since    time.Time
	Running  bool // the function is running; otherwise the call waits for a worker
	Lost     bool // the function is running, and its call was given up
}

// String is the call in one line.
func (c Underway) String() string {
	doing := "running"
	switch {
	case c.Lost:
		doing = "lost, for its call was given up, and running"
	case !c.Running:
		doing = "waiting for a worker"
	}
	return fmt.Sprintf("callback %q on device %d in run %d (%v): %s for %v",
		c.Callback, c.Device, c.RunID, c.Dispatch, doing, time.Since(c.Since).Round(time.Millisecond))
}

// Waiting is the calls that are under way, the oldest first. Inline calls are among
// them where their registry has a watchdog (RegistryOptions.Watch); those in a queue
// are not, but for the first of each device.
func Waiting() []Underway { return engine.Waiting() }
