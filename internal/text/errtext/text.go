// Package errtext returns the texts of user-defined errors safely.
package errtext

import (
	"fmt"
	"sync/atomic"
	"time"
)

// textLimit limits how long the Error method of an error may take.
const textLimit = 100 * time.Millisecond

// textsStuck counts the goroutines that wait for the text of an error. At most
// textsStuckLimit may wait.
var textsStuck atomic.Int32

const textsStuckLimit = 16

// Of returns the text of an error, or its type if the text is not available within a tenth
// of a second. The Error method of an error may block, panic, call runtime.Goexit or never
// return, so Of calls it on a separate goroutine.
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
			_ = recover() // no text is available
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
	return fmt.Sprintf("an error of type %T whose text is not available", err)
}
