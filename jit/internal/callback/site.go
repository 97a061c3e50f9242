package callback

import (
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/hostcall"
	"github.com/calliope-mlir/calliope/tensor"
)

// A site is one call of the module, with its function.
type site struct {
	bound      hostcall.Binding // without a slot if an operand names the callback or its server
	late       hostcall.Late[hostcall.Binding]
	attributes callbacks.Attributes

	arrays    []tensor.Shape // see lowering
	passed    int            // the number of those that compiled code passes
	args, ids int            // the number of the data and of the ids, which come first
	results   []int          // the arrays that are results
	small     []int          // the arrays with elements of less than a byte

	lanes [dispatch.Lanes]*call // the calls that hold a lane of the slot
	spare sync.Pool             // other calls that are over
}

// bind finds the function of a call, and adds its site.
func (c *Calls) bind(l *lowering) error {
	s := l.site
	bound, err := hostcall.Bind(s.Config, s.Foreign, l.data.Args, l.data.Results)
	if err != nil {
		return err
	}
	c.sites = append(c.sites, &site{
		bound: bound, attributes: s.Attributes, arrays: l.arrays, passed: len(l.call.Arrays), args: len(l.data.Args),
		ids: l.ids, results: l.results, small: small(l.arrays),
	})
	return nil
}

func (s *site) close() {
	if s.bound.Slot != nil {
		s.bound.Slot.Close()
	}
	s.late.Close()
}

// A call is a call of a site. Later ones use its memory again.
type call struct {
	hostcall.Call
	views  []tensor.View // of arrays
	copies [][]byte      // the memory of copies, by array
}

// call makes a call on a device, with the addresses of its arrays.
func (s *site) call(of *run, device int, addresses *unsafe.Pointer) error {
	bound, lane, r := s.bound, -1, &of.host
	if bound.Slot != nil {
		lane = bound.Slot.Lane(int(r.ID()))
	} else {
		var err error
		if bound, err = s.named(addresses); err != nil {
			return &callbacks.CallError{
				Callback: s.bound.Config.Name(), Loc: s.bound.Config.Loc, Device: device, RunID: r.ID(),
				Err: err}
		}
	}
	c := s.take(bound, lane)
	s.view(c.views, addresses)
	if bound.Slot.InPlace(r) {
		s.copyKept(c, of)
	}
	s.widen(c.views)
	for i, k := range s.results {
		c.Outputs[i] = c.views[k]
	}
	c.RunID, c.Device = r.ID(), device
	_, err := bound.Slot.Do(&c.Call.Call, r)
	s.narrow(addresses)
	if lane < 0 && s.bound.Slot != nil {
		s.spare.Put(c)
	}
	return err
}

// named finds the function of a call by the operand that names it.
func (s *site) named(addresses *unsafe.Pointer) (hostcall.Binding, error) {
	views := make([]tensor.View, len(s.arrays))
	s.view(views, addresses)
	return s.late.Find(s.bound.Config, views[s.args+s.ids], hostcall.BindLate)
}

// view sets the views of the arrays.
func (s *site) view(views []tensor.View, addresses *unsafe.Pointer) {
	at := unsafe.Slice(addresses, s.passed)
	for i, shape := range s.arrays {
		views[i] = tensor.View{Shape: shape, Data: []byte{}}
		if n := shape.NumBytes(); n > 0 {
			views[i].Data = unsafe.Slice((*byte)(at[0]), n)
			at = at[1:]
		}
	}
}

// copyKept gives a function copies of what the run must not change, for nothing keeps the function from writing.
func (s *site) copyKept(c *call, of *run) {
	for i := range c.views {
		if v := &c.views[i]; of.keeps(v.Data) {
			if c.copies == nil {
				c.copies = make([][]byte, len(c.views))
			}
			c.copies[i] = append(c.copies[i][:0], v.Data...)
			v.Data = c.copies[i]
		}
	}
}

// take returns the memory of a call.
func (s *site) take(bound hostcall.Binding, lane int) *call {
	if lane >= 0 {
		if s.lanes[lane] == nil {
			s.lanes[lane] = s.newCall(bound, lane)
		}
		return s.lanes[lane]
	}
	if s.bound.Slot != nil {
		if c, _ := s.spare.Get().(*call); c != nil {
			return c
		}
	}
	return s.newCall(bound, lane)
}

func (s *site) newCall(bound hostcall.Binding, lane int) *call {
	c := &call{views: make([]tensor.View, len(s.arrays))}
	c.Init(bound.Config.Name(), bound.Config, lane, c)
	c.Attributes = s.attributes
	c.Operands, c.Names = c.views[:s.args:s.args], c.views[s.args:][:s.ids:s.ids]
	c.Outputs = make([]tensor.View, len(s.results))
	return c
}
