package main

// #include "plugin.h"
import "C"

import (
	"fmt"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
)

// A wait is for what ends later. A nil wait is over, without an error.
type wait struct {
	over chan struct{}
	err  error // once it is over
}

func newWait() *wait { return &wait{over: make(chan struct{})} }

func (w *wait) end(err error) {
	w.err = err
	close(w.over)
}

func (w *wait) isOver() bool {
	if w == nil {
		return true
	}
	select {
	case <-w.over:
		return true
	default:
		return false
	}
}

// until returns when it is over, with its error.
func (w *wait) until() error {
	if w == nil {
		return nil
	}
	<-w.over
	return w.err
}

// An event is a wait of a caller.
type event struct{ *wait }

func (event) free() {}

// over returns an event that is over: copies are done when their functions return.
func over() abi.Handle { return handle(event{}) }

func init() {
	on(abi.EventDestroy, func(a *abi.EventDestroyArgs) error { return destroy[event](a.Event) })
	on(abi.EventIsReady, func(a *abi.EventIsReadyArgs) error {
		a.IsReady = object[event](a.Event).isOver()
		return nil
	})
	on(abi.EventError, func(a *abi.EventErrorArgs) error {
		e := object[event](a.Event)
		if !e.isOver() {
			return fmt.Errorf("%w: the event is not over", errMistaken)
		}
		return e.until()
	})
	on(abi.EventAwait, func(a *abi.EventAwaitArgs) error { return object[event](a.Event).until() })
	on(abi.EventOnReady, func(a *abi.EventOnReadyArgs) error {
		e, callback, arg := object[event](a.Event), C.uintptr_t(a.Callback), C.uintptr_t(a.UserArg)
		call := func() {
			var failed abi.Handle // which the function takes over
			if err := e.until(); err != nil {
				failed = newFailure(err)
			}
			C.calliope_call_ready(callback, C.uintptr_t(failed), arg)
		}
		if e.isOver() {
			call()
		} else {
			go call()
		}
		return nil
	})
}
