package floor

/*
#cgo LDFLAGS: -lpthread
#include <stdlib.h>
#include "bare.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

// Bare executes a module through a plugin's PJRT table with nothing in between. It has a
// client of its own with one device.
type Bare struct {
	c      *C.calliope_bare
	length int
}

// BareWay is what a Bare does again and again.
type BareWay int

// The ways.
const (
	BareRun        BareWay = C.CALLIOPE_BARE_RUN         // execute, await, destroy the output
	BareHelper     BareWay = C.CALLIOPE_BARE_HELPER      // the same on a kept thread, for which a futex waits
	BareHelperSpin BareWay = C.CALLIOPE_BARE_HELPER_SPIN // both threads look for 20 µs before they sleep
	BareRound      BareWay = C.CALLIOPE_BARE_ROUND       // copy the array in, run, copy the result out
)

// OpenBare compiles a module for a plugin. The module is StableHLO, as text or bytecode;
// its parameter and its result are f32 vectors of the given length.
func OpenBare(plugin *pjrt.Plugin, module []byte, length int) (*Bare, error) {
	if len(module) == 0 || length < 1 {
		return nil, errors.New("give a module, and a length of 1 or more")
	}
	b := &Bare{length: length}
	text := C.CBytes(module)
	defer C.free(text)
	if err := textError(C.calliope_bare_open(plugin.API(), (*C.char)(text), C.size_t(len(module)), C.int64_t(length),
		&b.c)); err != nil {
		return nil, err
	}
	return b, nil
}

// Run does it n times and returns how long that took. One goroutine at a time may call it.
func (b *Bare) Run(way BareWay, n int) (time.Duration, error) {
	if way < 0 || way >= C.CALLIOPE_BARES {
		return 0, fmt.Errorf("there is no way %d", way)
	}
	var seconds C.double
	err := textError(C.calliope_bare_run(b.c, C.int(way), C.int64_t(n), &seconds))
	return time.Duration(float64(seconds) * float64(time.Second)), err
}

// Result returns what the module makes of the numbers 0, 1, 2, ...
func (b *Bare) Result() ([]float32, error) {
	out := make([]float32, b.length)
	err := textError(C.calliope_bare_result(b.c, (*C.float)(unsafe.Pointer(&out[0]))))
	return out, err
}

// Close frees everything. It must be called once.
func (b *Bare) Close() { C.calliope_bare_close(b.c) }
