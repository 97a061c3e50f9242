package legacy

import (
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/legacy"
	"github.com/calliope-mlir/calliope/internal/run/legacycall"
)

// A call is what all calls of a call site share.
type call struct {
	key    callKey
	in     []legacycall.Nest
	out    legacycall.Nest
	layout *legacy.Layout
	opaque *legacy.Opaque
	name   *legacy.Opaque // for a message if the function crashes
}

type callKey struct {
	target            string
	tuples, opaque    string
	operands, results int
}

// callOf returns the call of a frame. Most functions have one call site, so the last call is tried first.
func (f *Function) callOf(frame *callbacks.Frame) (*call, error) {
	key := callKey{frame.Name, frame.Config.Legacy.Tuples, frame.Config.Legacy.Opaque, len(frame.Args),
		len(frame.Results)}
	if c := f.last.Load(); c != nil && c.key == key {
		return c, nil
	}
	c, ok := f.calls.Load(key)
	if !ok {
		in, out, err := legacycall.ParseTuples(key.tuples, key.operands, key.results)
		if err != nil {
			return nil, fmt.Errorf("callbacks/legacy: the custom call %q: %w", frame.Name, err)
		}
		c, _ = f.calls.LoadOrStore(key, &call{
			key: key, in: in, out: out, layout: legacy.NewLayout(in, out), opaque: legacy.NewOpaque(key.opaque),
			name: legacy.NewOpaque(fmt.Sprintf("the function of the custom call %q", key.target)),
		})
	}
	f.last.Store(c.(*call))
	return c.(*call), nil
}
