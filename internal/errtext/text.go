// Package errtext gives the texts of errors that anybody may have made.
package errtext

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

// Of returns the text of an error, or its type where the text cannot be had in a tenth of
// a second. The Error method of an error may block, panic, call runtime.Goexit or never
// return, so that Of calls it on a goroutine of its own.
func Of(err error) string {
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
