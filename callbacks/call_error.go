package callbacks

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/errtext"
)

// A CallError is the error of one call of a callback. A run that the call fails returns it, and a
// barrier returns those of the taps, which do not fail their run. If a call was not made, or was given
// up, because the context of its run ended, the run returns the error of the context instead.
type CallError struct {
	Callback string // the callback's name, or "id N"
	Loc      string // Go file and line that built the call, "" if unknown
	Device   int    // ordinal of the device that made the call
	RunID    int64  // the run of the call; 0 if the runtime does not provide it
	Err      error  // what the function returned, or one of the errors of this package
}

func (e *CallError) Error() string {
	who := fmt.Sprintf("callback %q", e.Callback)
	switch {
	case e.Loc != "" && strings.HasPrefix(e.Callback, "id "): // a closure, whose id says nothing
		who = "the callback called at " + e.Loc + ","
	case e.Loc != "":
		who += ", called at " + e.Loc + ","
	}
	why := strings.TrimPrefix(errtext.Of(e.Err), "callbacks: ")
	return fmt.Sprintf("callbacks: %s on device %d: %s", who, e.Device, why)
}

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }
