package ffi

/*
#include <stdlib.h>
#include "ffi_handler.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/contract"
	_ "github.com/calliope-mlir/calliope/internal/host/cgo" // C code includes denormal.h
)

// Site is one call site of a compiled module, bound to what it calls. The methods
// are called on XLA's threads, several at once, and must not panic.
type Site interface {
	// Execute runs one call. It returns 0, or an absl status code and a message.
	// The call is valid until Execute returns.
	Execute(call *Call) (code int32, message string)
	// Delete is called once, when the executable is destroyed.
	Delete()
}

// Instantiate makes a Site of the attributes of a call site, while a module is
// being compiled. An error is the compile's error, with the given absl status
// code. hosted says that a host compiles it, see OpenHost.
type Instantiate func(attrs []contract.Attr, hosted bool) (site Site, code int32, err error)

var instantiate atomic.Pointer[Instantiate]

// SetInstantiate sets the function that XLA calls, for all plugins. It must be called
// before the first Open.
func SetInstantiate(f Instantiate) { instantiate.Store(&f) }

// InstantiateForeign is an Instantiate for a target of RegisterForeign.
type InstantiateForeign func(number int, attrs []contract.Attr) (site Site, code int32, err error)

var instantiateForeign atomic.Pointer[InstantiateForeign]

// SetInstantiateForeign sets the function that XLA calls for the targets of
// RegisterForeign. It must be called before the first of these.
func SetInstantiateForeign(f InstantiateForeign) { instantiateForeign.Store(&f) }

// siteTable gives each Site a number that C can keep. Reading takes no lock: a slice
// that was published is never written but at places that nobody reads any more.
type siteTable struct {
	mu   sync.Mutex
	free []uintptr
	all  atomic.Pointer[[]Site]
}

var sites siteTable

func (t *siteTable) add(s Site) uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Site
	if old := t.all.Load(); old != nil {
		all = *old
	}
	if n := len(t.free); n > 0 {
		number := t.free[n-1]
		t.free = t.free[:n-1]
		all[number-1] = s
		return number
	}
	all = append(all, s)
	t.all.Store(&all)
	return uintptr(len(all))
}

func (t *siteTable) get(number uintptr) Site { return (*t.all.Load())[number-1] }

// at returns a site that may be gone, nil for none.
func (t *siteTable) at(number uintptr) Site {
	t.mu.Lock()
	defer t.mu.Unlock()
	if all := t.all.Load(); all != nil && number > 0 && number <= uintptr(len(*all)) {
		return (*all)[number-1]
	}
	return nil
}

func (t *siteTable) remove(number uintptr) Site {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := *t.all.Load()
	s := all[number-1]
	all[number-1] = nil
	t.free = append(t.free, number)
	return s
}

//export calliopeFFIExecute
func calliopeFFIExecute(call *C.calliope_call) {
	code, message := sites.get(uintptr(call.site)).Execute((*Call)(call))
	if code != 0 {
		call.code = C.int32_t(code)
		call.message = cMessage(message)
	}
}

//export calliopeFFIInstantiate
func calliopeFFIInstantiate(in *C.calliope_instantiation) {
	site, code, err := instantiateSite(in)
	if err != nil {
		in.code = C.int32_t(code)
		in.message = cMessage(err.Error())
		return
	}
	in.site = C.uintptr_t(sites.add(site))
}

//export calliopeFFIDelete
func calliopeFFIDelete(number C.uintptr_t) { sites.remove(uintptr(number)).Delete() }

const codeInternal = 13

func instantiateSite(in *C.calliope_instantiation) (site Site, code int32, err error) {
	defer func() {
		// A panic must not unwind into C.
		if p := recover(); p != nil {
			code, err = codeInternal, fmt.Errorf("calliope: binding a call site: panic: %v", p)
		}
	}()
	f, g, foreign := instantiate.Load(), instantiateForeign.Load(), int(in.foreign)
	if f == nil || foreign > 0 && g == nil {
		return nil, codeInternal, errors.New("calliope: no way into Go is set")
	}
	if attrs := attributes(&in.frame.attrs); foreign > 0 {
		site, code, err = (*g)(foreign, attrs)
	} else {
		site, code, err = (*f)(attrs, in.host != 0)
	}
	if err != nil && code == 0 {
		code = codeInternal
	}
	return site, code, err
}

// cMessage copies a message to C. A NUL would end it early.
func cMessage(message string) *C.char {
	return C.CString(strings.ReplaceAll(message, "\x00", "\uFFFD"))
}
