package dispatch

import (
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/access"
)

// A Call is one call that compiled code makes, with the frame for its function. A runtime
// keeps calls and reuses them; see Slot.Lane. It must not be copied.
type Call struct {
	callbacks.Frame

	own       *access.Frame // the part of Frame that the runtime sets
	from      Transport
	run       *Run
	lane      int  // -1 for none
	delivered bool // delivered but not counted yet
}

// A Transport is implemented by a runtime for its calls. Each call is either read or cleared.
// A call that was read is finished.
type Transport interface {
	// Read fills the frame of the call: Args, IDs, Results, Device and RunID.
	Read() error
	// Clear zeroes the results of a call that is not made.
	Clear() error
	// Finish is called when the function has returned, with its error, or when there will
	// be no result. It returns the error of the call, which may report, for example, an
	// invalid change of the frame by the function. With zeros, the results of a call with an
	// error are as after Clear. The memory of the results is not written afterwards.
	Finish(err error, zeros bool) error
	// Defer releases the runtime's thread. It returns a function that must be called once
	// with the error of the call, on another goroutine, perhaps before Do returns. It
	// returns nil if the thread has to wait.
	Defer() (done func(error))
}

// Init prepares the call for a call site. lane is the result of Slot.Lane, or -1 for none.
func (c *Call) Init(name string, config contract.Config, lane int, from Transport) {
	c.Name, c.Config, c.lane, c.from = name, config, lane, from
	c.own = access.FrameOf(&c.Frame)
}

// SetAliased sets, for each result, whether it shares the memory of the operand. It keeps
// the slice.
func (c *Call) SetAliased(aliased []bool) { c.own.Aliased = aliased }

// Run returns the run of the call while Slot.Do handles it, or nil if there is none.
func (c *Call) Run() *Run { return c.run }

// end clears the run, which must not be kept, and releases the lane.
func (c *Call) end(s *Slot) {
	if c.run != nil {
		c.run, c.own.Context = nil, nil
	}
	if c.lane >= 0 {
		s.release(c)
	}
}
