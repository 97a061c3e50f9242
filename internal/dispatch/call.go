package dispatch

import (
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/dispatch/access"
)

// Call is one call that compiled code makes, and the frame that its function gets. A
// runtime keeps calls and uses them again; see Slot.Lane. It must not be copied.
type Call struct {
	callbacks.Frame

	own       *access.Frame // of Frame: what the runtime sets
	from      Source
	run       *Run
	lane      int  // -1 for none
	delivered bool // and not counted yet
}

// Source is what a runtime does for its calls. Each call is read or cleared; what was read
// is finished.
type Source interface {
	// Read fills the frame of the call: Args, IDs, Results, Device and RunID.
	Read() error
	// Clear zeroes the results of a call that is not made.
	Clear() error
	// Finish is told that the function has returned, with its error, or that there will be
	// no result. It returns the error of the call: what the function did wrong to its
	// frame, for example. The memory of the results is not written to any more.
	Finish(err error) error
	// Defer lets the runtime's thread go. It returns the function that is to be called once
	// with the error of the call, on another goroutine, perhaps before Do returns; or nil
	// where the thread has to wait.
	Defer() (done func(error))
}

// Init makes the call one of a call site. lane is that of Slot.Lane, -1 for none.
func (c *Call) Init(name string, config contract.Config, lane int, from Source) {
	c.Name, c.Config, c.lane, c.from = name, config, lane, from
	c.own = access.FrameOf(&c.Frame)
}

// SetAliased says by result whether it is the memory of the operand. The slice is kept.
func (c *Call) SetAliased(aliased []bool) { c.own.Aliased = aliased }

// Run returns the run of the call while Slot.Do has it, nil where there is none.
func (c *Call) Run() *Run { return c.run }

// end forgets the run, which must not be kept, and gives the lane back.
func (c *Call) end(s *Slot) {
	if c.run != nil {
		c.run, c.own.Context = nil, nil
	}
	if c.lane >= 0 {
		s.release(c)
	}
}
