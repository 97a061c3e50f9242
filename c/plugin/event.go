package main

// #include "plugin.h"
import "C"

import (
	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
)

// An event is over when it is made: runs and copies are done when their functions return.
type event struct{ err error }

func (*event) free() {}

// over returns an event that is over.
func over() abi.Handle { return handle(&event{}) }

func init() {
	on(abi.EventDestroy, func(a *abi.EventDestroyArgs) error { return destroy[*event](a.Event) })
	on(abi.EventIsReady, func(a *abi.EventIsReadyArgs) error {
		_, a.IsReady = object[*event](a.Event), true
		return nil
	})
	on(abi.EventError, func(a *abi.EventErrorArgs) error { return object[*event](a.Event).err })
	on(abi.EventAwait, func(a *abi.EventAwaitArgs) error { return object[*event](a.Event).err })
	on(abi.EventOnReady, func(a *abi.EventOnReadyArgs) error {
		var failed abi.Handle // which the function takes over
		if err := object[*event](a.Event).err; err != nil {
			failed = newFailure(err)
		}
		C.calliope_call_ready(C.uintptr_t(a.Callback), C.uintptr_t(failed), C.uintptr_t(a.UserArg))
		return nil
	})
}
