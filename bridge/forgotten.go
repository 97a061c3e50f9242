package bridge

import (
	"log/slog"

	"github.com/calliope-mlir/calliope/internal/callers"
	"github.com/calliope-mlir/calliope/internal/forgotten"
)

// A forgottenArray is the array of a Buffer that is garbage without having been closed.
type forgottenArray struct {
	array
	at string // in debug mode, the line that made the Buffer
}

// A forgottenExecutable is what an Executable had that is garbage without having been closed.
type forgottenExecutable struct {
	*resources
	at string // in debug mode, the line that made it
}

// A forgottenView is a BufferView, in debug mode.
type forgottenView struct {
	client *Client
	at     string // the line that made it
}

var (
	forgottenArrays      forgotten.Guards[forgottenArray]
	forgottenViews       forgotten.Guards[forgottenView]
	forgottenExecutables forgotten.Guards[forgottenExecutable]
)

// line returns the line that calls this package, in debug mode.
func (c *Client) line() string {
	if !c.debug {
		return ""
	}
	return callers.Line()
}

// forgot logs in debug mode that something was not closed.
func (c *Client) forgot(what, at string, args ...any) {
	if at != "" {
		c.log(slog.LevelWarn, "bridge: "+what+" was not closed before it became garbage", append(args, "made", at)...)
	}
}

// watched watches a new Buffer, which is nil if there is an error, and returns both. Memory of Go needs no watch.
func watched(b *Buffer, err error) (*Buffer, error) {
	if b != nil && b.host == nil {
		b.watch(b.client.line())
	}
	return b, err
}

func (b *Buffer) watch(at string) { b.guard = forgottenArrays.Watch(forgottenArray{b.array, at}) }

// Forgotten is Buffer.Close. A view that was forgotten, too, keeps the array.
func (f forgottenArray) Forgotten() {
	f.client.forgot("a Buffer", f.at, "shape", f.shape.String())
	if _, free := f.life.close(); !free {
		return
	}
	if err := f.free(); err != nil {
		f.client.logError("bridge: a Buffer that was not closed", "error", err)
	}
}

// Forgotten frees nothing, because a tensor.View of the array may be in use.
func (f forgottenView) Forgotten() { f.client.forgot("a BufferView", f.at) }

func (e *Executable) watch() {
	e.guard = forgottenExecutables.Watch(forgottenExecutable{e.resources, e.client.line()})
}

// Forgotten is Executable.Close. The functions of OnClose may block.
func (f forgottenExecutable) Forgotten() {
	f.client.forgot("an Executable", f.at, "name", f.xla.Name)
	if _, free := f.life.close(); !free {
		return
	}
	go func() {
		if err := f.free(); err != nil {
			f.client.logError("bridge: an Executable that was not closed", "error", err)
		}
	}()
}
