package main

// #include "plugin.h"
import "C"

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/ffihost"
)

// A target has the handlers of a native library for the calls of a target.
type target struct {
	bundle ffihost.Bundle

	mu    sync.Mutex
	sites map[*callbacks.Attribute]*ffihost.Site // by the attributes that all calls of a call site share
}

// targets are those that compiles know, besides those of LAPACK.
var targets struct {
	sync.Mutex
	list []callbacks.ForeignTarget
}

func foreign() []callbacks.ForeignTarget {
	targets.Lock()
	defer targets.Unlock()
	return slices.Clone(targets.list)
}

// serve lets a function serve the calls of a target.
func serve(name string, f callbacks.Func) error {
	callback := "calliope_pjrt/" + name
	if err := callbacks.Default.Register(callback, f, callbacks.Options{}); err != nil {
		return err
	}
	targets.Lock()
	defer targets.Unlock()
	targets.list = append(targets.list, callbacks.ForeignTarget{Target: name, Callback: callback})
	return nil
}

// calliope_pjrt_register_ffi registers handlers of XLA's typed FFI for a target. It returns NULL, or the text of an
// error, which the caller frees by free.
//
//export calliope_pjrt_register_ffi
func calliope_pjrt_register_ffi(name *C.char, instantiate, prepare, initialize, execute unsafe.Pointer) *C.char {
	t := &target{bundle: ffihost.Bundle{Instantiate: instantiate, Prepare: prepare, Initialize: initialize,
		Execute: execute}, sites: map[*callbacks.Attribute]*ffihost.Site{}}
	if err := cmp.Or(t.bundle.Check(), serve(C.GoString(name), t.call)); err != nil {
		return C.CString(fmt.Sprintf("the target %s: %v", C.GoString(name), err))
	}
	return nil
}

// calliope_pjrt_register_ffi_type registers a type of states: see ffihost.RegisterType. It returns NULL, or the text of
// an error, which the caller frees by free.
//
//export calliope_pjrt_register_ffi_type
func calliope_pjrt_register_ffi_type(id, info unsafe.Pointer) *C.char {
	if err := ffihost.RegisterType(id, info); err != nil {
		return C.CString(err.Error())
	}
	return nil
}

func (t *target) call(f *callbacks.Frame) error {
	s, err := t.site(f.Attributes)
	if err != nil {
		return err
	}
	return s.Call(f.Args, f.Results, f.Device, f.RunID)
}

// site returns the call site of attributes. Those without attributes are one.
func (t *target) site(a callbacks.Attributes) (*ffihost.Site, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := unsafe.SliceData(a)
	if s := t.sites[of]; s != nil {
		return s, nil
	}
	s, err := t.bundle.NewSite(attributesOf(a))
	if err != nil {
		return nil, err
	}
	t.sites[of] = s
	return s, nil
}

func attributesOf(a callbacks.Attributes) []contract.Attr {
	list := make([]contract.Attr, len(a))
	for i, one := range a {
		list[i] = contract.Attr{Key: one.Name, Value: one.Value}
		if inner, ok := one.Value.(callbacks.Attributes); ok {
			list[i].Value = attributesOf(inner)
		}
	}
	slices.SortFunc(list, func(x, y contract.Attr) int { return cmp.Compare(x.Key, y.Key) })
	return list
}
