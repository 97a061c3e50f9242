package main

// #include "plugin.h"
import "C"

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"
	"weak"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/ffihost"
)

// A target has the handlers of a native library for the calls of a target.
type target struct {
	bundle ffihost.Bundle

	mu    sync.Mutex
	sites map[siteKey]*ffihost.Site
}

// A siteKey is the first of the attributes that all calls of a call site share, and that are garbage with the program.
// Call sites without attributes are one, which stays.
type siteKey = weak.Pointer[callbacks.Attribute]

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
		Execute: execute}, sites: map[siteKey]*ffihost.Site{}}
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
	defer runtime.KeepAlive(f)
	return s.Call(f.Args, f.Results, f.Device, f.RunID)
}

// site returns the call site of attributes.
func (t *target) site(a callbacks.Attributes) (*ffihost.Site, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := unsafe.SliceData(a)
	key := weak.Make(of)
	if s := t.sites[key]; s != nil {
		return s, nil
	}
	s, err := t.bundle.NewSite(attributesOf(a))
	if err != nil {
		return nil, err
	}
	t.sites[key] = s
	if of != nil {
		runtime.AddCleanup(of, t.end, key)
	}
	return s, nil
}

// end closes a call site whose program is gone.
func (t *target) end(key siteKey) {
	t.mu.Lock()
	s := t.sites[key]
	delete(t.sites, key)
	t.mu.Unlock()
	s.Close()
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
