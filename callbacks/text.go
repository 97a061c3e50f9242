package callbacks

import (
	"fmt"
	"sync/atomic"
	"time"
)

// textLimit is how long the text of an error may take.
const textLimit = 100 * time.Millisecond

// textsStuck is how many goroutines wait for the text of an error, and textsStuckLimit how
// many may.
var textsStuck atomic.Int32

const textsStuckLimit = 16

// TextOf is the text of an error. An error's method is anybody's: it may block, panic,
// call runtime.Goexit or never end. So it is called on a goroutine of its own, for which
// TextOf waits a tenth of a second, and where there is no text, TextOf says of which type
// the error is.
func TextOf(err error) string {
	if textsStuck.Add(1) > textsStuckLimit {
		textsStuck.Add(-1)
		return withoutText(err)
	}
	texts := make(chan string, 1)
	go func() {
		defer textsStuck.Add(-1)
		text := withoutText(err)
		defer func() {
			_ = recover() // there is no text then
			texts <- text
		}()
		text = err.Error()
	}()
	limit := time.NewTimer(textLimit)
	defer limit.Stop()
	select {
	case text := <-texts:
		return text
	case <-limit.C:
		return withoutText(err)
	}
}

func withoutText(err error) string {
	return fmt.Sprintf("an error of type %T whose text cannot be had", err)
}
