package main

// #include "plugin.h"
import "C"

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/ffihost"
)

// handlers is the callback that serves the calls of all handlers of native libraries.
const handlers = "calliope_pjrt_ffi"

func init() {
	for name, f := range map[string]callbacks.Func{handlers: callHandler, python: callPython} {
		if err := callbacks.Default.Register(name, f, callbacks.Options{}); err != nil {
			panic(err)
		}
	}
}

// sites has the *ffihost.Site of each call in a program, by what identifies that: the address of its attributes.
var sites sync.Map

// foreign returns the targets of calls that handlers and Python functions serve. The compile of a program makes a call
// site for each call of a handler.
func (p *program) foreign() []callbacks.ForeignTarget {
	list := []callbacks.ForeignTarget{{Target: python}}
	for target, bundle := range ffihost.Registered() {
		list = append(list, callbacks.ForeignTarget{Target: target, Callback: handlers, AnyLayout: true,
			Check: func(a callbacks.Attributes) error {
				s, err := bundle.NewSite(attributesOf(a))
				if err == nil {
					sites.Store(unsafe.SliceData(a), s)
					p.sites = append(p.sites, unsafe.SliceData(a))
				}
				return err
			}})
	}
	return list
}

// endSites closes the call sites of a program of which nothing runs.
func (p *program) endSites() {
	for _, a := range p.sites {
		if s, found := sites.LoadAndDelete(a); found {
			s.(*ffihost.Site).Close()
		}
	}
}

func callHandler(f *callbacks.Frame) error {
	s, _ := sites.Load(unsafe.SliceData(f.Attributes))
	x := f.Context().Value(executionKey{}).(*execution)
	r := ffihost.Run{ID: x.launch, Device: x.on[f.Device].id, Data: x.context.list()}
	return s.(*ffihost.Site).Call(f.Args, f.Results, r)
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

// calliope_pjrt_register_ffi registers handlers of XLA's typed FFI for a target: see ffihost.Register. It is for
// Python. It returns NULL, or the text of an error, which stays.
//
//export calliope_pjrt_register_ffi
func calliope_pjrt_register_ffi(name *C.char, instantiate, prepare, initialize, execute unsafe.Pointer) *C.char {
	return textOf(ffihost.Register(C.GoString(name), "cpu", ffihost.Bundle{Instantiate: instantiate, Prepare: prepare,
		Initialize: initialize, Execute: execute}))
}

// calliope_pjrt_register_ffi_type registers a type of states: see ffihost.RegisterType. It is for Python. It returns
// NULL, or the text of an error, which stays.
//
//export calliope_pjrt_register_ffi_type
func calliope_pjrt_register_ffi_type(id, info unsafe.Pointer) *C.char {
	return textOf(ffihost.RegisterType(id, info))
}

func textOf(err error) *C.char {
	if err == nil {
		return nil
	}
	return C.CString(err.Error())
}
