package ffihost

// #include "host.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/contract"
	_ "github.com/calliope-mlir/calliope/internal/run/ffi" // has ffi_abi.h: "go mod vendor" copies its package
	"github.com/calliope-mlir/calliope/tensor"
)

// A Bundle has the handlers of a target, by their stage: addresses of XLA_FFI_Handler, or nil. They stay in memory.
type Bundle struct{ Instantiate, Prepare, Initialize, Execute unsafe.Pointer }

// The stages, as XLA_FFI_ExecutionStage numbers them.
const (
	instantiate = iota
	prepare
	initialize
	execute
)

// Check returns an error if the handlers are written for another version of the FFI.
func (b Bundle) Check() error {
	if b.Execute == nil {
		return errors.New("the bundle has no handler for the stage execute")
	}
	for _, h := range []unsafe.Pointer{b.Instantiate, b.Prepare, b.Initialize, b.Execute} {
		if h == nil {
			continue
		}
		var m C.ffi_metadata
		if err := taken(C.calliope_host_version(C.ffi_handler(h), &m)); err != nil {
			return fmt.Errorf("asking the handler for its version: %w", err)
		}
		if v := m.version; v.major != 0 || v.minor > C.FFI_NEWEST_MINOR {
			return fmt.Errorf("the handler is for version %d.%d of XLA's FFI: versions up to 0.%d are known here", v.major,
				v.minor, C.FFI_NEWEST_MINOR)
		}
	}
	return nil
}

// RegisterType registers a type of states by the addresses of its XLA_FFI_TypeId and XLA_FFI_TypeInfo, which may be
// nil. A type without a number gets one.
func RegisterType(id, info unsafe.Pointer) error {
	return taken(C.calliope_host_type((*C.int64_t)(id), (*C.ffi_type_info)(info)))
}

// A Site is a call in a program, with its attributes. It is safe for concurrent use.
type Site struct {
	bundle Bundle
	memory memory
	attrs  C.ffi_attrs
	site   *C.host_site

	mu    sync.Mutex
	ready bool    // the stages before execute are over
	idle  []*call // calls that are over, which later ones use again
}

// A Run is what a handler may ask of the run that calls it.
type Run struct {
	ID     int64
	Device int
	Data   []Datum // must not change
}

// A Datum is what the caller of a run gives handlers that ask for its type: a host_state.
type Datum struct {
	Type  int64
	Value uintptr
}

// NewSite makes a call site, and calls the handler of the stage instantiate.
func (b Bundle) NewSite(attributes []contract.Attr) (*Site, error) {
	s := &Site{bundle: b}
	s.site = (*C.host_site)(s.memory.bytes(C.sizeof_host_site))
	attrs, err := s.memory.attributes(attributes)
	if err == nil {
		s.attrs = *attrs
		err = s.in(instantiate, b.Instantiate, nil, nil, Run{})
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Call calls the handler with arrays of the host. Before the first call it calls those of prepare and initialize.
func (s *Site) Call(args, results []tensor.View, r Run) error {
	if err := s.prepare(args, results, r); err != nil {
		return err
	}
	return s.in(execute, s.bundle.Execute, args, results, r)
}

func (s *Site) prepare(args, results []tensor.View, r Run) error {
	if s.bundle.Prepare == nil && s.bundle.Initialize == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return nil
	}
	if err := s.in(prepare, s.bundle.Prepare, args, results, r); err != nil {
		return err
	}
	err := s.in(initialize, s.bundle.Initialize, args, results, r)
	s.ready = err == nil
	return err
}

// in calls the handler of a stage.
func (s *Site) in(stage int, handler unsafe.Pointer, args, results []tensor.View, r Run) error {
	if handler == nil {
		return nil
	}
	c := s.take(stage, args, results)
	c.set(args, results, r)
	err := taken(C.calliope_host_call(C.ffi_handler(handler), c.frame, s.site, c.run))
	runtime.KeepAlive(args)
	runtime.KeepAlive(results)
	runtime.KeepAlive(r.Data)
	if err == nil {
		c.unpack(results)
	}
	s.put(c)
	return err
}

// Close frees the states of the handlers. No call may be in flight.
func (s *Site) Close() {
	C.calliope_host_site_free(s.site)
	s.memory.free()
	for _, c := range s.idle {
		c.memory.free()
	}
}

// An Error is that of a handler.
type Error struct {
	Code    int // of absl
	Message string
}

const invalidArgument = 3

func (e *Error) Error() string { return e.Message }

// taken returns an error of C as one of Go, and frees it.
func taken(e *C.ffi_error) error {
	if e == nil {
		return nil
	}
	defer C.calliope_host_error_free(e)
	var code C.int32_t
	message := C.GoString(C.calliope_host_error(e, &code))
	return &Error{int(code), message}
}
