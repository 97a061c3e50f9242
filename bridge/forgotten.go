package bridge

import (
	"log/slog"

	"github.com/calliope-mlir/calliope/internal/run/forgotten"
	"github.com/calliope-mlir/calliope/internal/text/callers"
)

// A forgottenExecutable is what an Executable had that is garbage without having been closed.
type forgottenExecutable struct {
	*resources
	at string // in debug mode, the line that made it
}

// A forgottenView is a view of a device's memory, in debug mode.
type forgottenView struct {
	client *Client
	at     string // the line that made it
}

var (
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

// Forgotten frees nothing, because a tensor.View of the array may be in use.
func (f forgottenView) Forgotten() { f.client.forgot("a View", f.at) }

func (e *Executable) watch() {
	e.guard = forgottenExecutables.Watch(forgottenExecutable{e.resources, e.client.line()})
}

// Forgotten is Executable.Close. The functions of OnClose may block.
func (f forgottenExecutable) Forgotten() {
	f.client.forgot("an Executable", f.at, "name", f.xla.Name)
	if _, free := f.life.Close(); !free {
		return
	}
	go func() {
		if err := f.free(); err != nil {
			f.client.logError("bridge: an Executable that was not closed", "error", err)
		}
	}()
}
