package embed

/*
#include "api.h"
*/
import "C"

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/passes"
)

// A registry is a registry of callbacks with the functions that were registered in it, which
// are dropped when they are unregistered.
type registry struct {
	*callbacks.Registry

	mu    sync.Mutex
	names map[string]*function
	ids   map[int64]*function
}

func newRegistry(r *callbacks.Registry) *registry {
	return &registry{Registry: r, names: map[string]*function{}, ids: map[int64]*function{}}
}

var registries = struct {
	sync.Mutex
	open map[string]*registry
}{open: map[string]*registry{
	"": newRegistry(callbacks.Default), passes.LegacyRegistry: newRegistry(legacy.Registry),
}}

// registryOf returns the open registry of a name.
func registryOf(name string) (*registry, error) {
	registries.Lock()
	defer registries.Unlock()
	r := registries.open[name]
	if r == nil {
		return nil, noRegistry(name)
	}
	return r, nil
}

func noRegistry(name string) error {
	return notFound("there is no registry %q: make it by calliope_registry_open", name)
}

// String returns how messages name the registry.
func (r *registry) String() string {
	if r.Name() == "" {
		return "the default registry"
	}
	return fmt.Sprintf("the registry %q", r.Name())
}

// add registers a function, and keeps it for remove.
func (r *registry) add(f *function, register func() error, keep func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := register(); err != nil {
		return err
	}
	f.hold()
	keep()
	return nil
}

// has reports whether a name is taken, also by a function of Go.
func (r *registry) has(name string) bool {
	return slices.ContainsFunc(r.List(), func(i callbacks.Info) bool { return i.Name == name })
}

// remove unregisters a function, and drops it.
func (r *registry) remove(unregister func() error, take func() *function) error {
	r.mu.Lock()
	if err := unregister(); err != nil {
		r.mu.Unlock()
		return err
	}
	f := take()
	r.mu.Unlock()
	if f != nil {
		f.release()
	}
	return nil
}

//export calliopeRegistryOpen
func calliopeRegistryOpen(name *C.char, in *C.calliope_registry_options) C.calliope_status {
	return protect(func() error {
		var o callbacks.RegistryOptions
		if in != nil {
			if in.struct_size != C.sizeof_calliope_registry_options {
				return invalid("calliope_registry_open: options.struct_size is %d: set it to sizeof(calliope_registry_options), which is %d", in.struct_size, C.sizeof_calliope_registry_options)
			}
			if in.workers < 0 || in.lost_limit < 0 || in.timeout_ns < 0 || in.queue_bytes < 0 {
				return invalid("calliope_registry_open: options has workers %d, lost_limit %d, timeout_ns %d and queue_bytes %d: none must be negative",
					in.workers, in.lost_limit, in.timeout_ns, in.queue_bytes)
			}
			o = callbacks.RegistryOptions{
				Workers: int(in.workers), LostLimit: int(in.lost_limit),
				Timeout: time.Duration(in.timeout_ns), QueueBytes: int(in.queue_bytes),
			}
		}
		key, err := textOf("calliope_registry_open: the name", name)
		if err != nil {
			return err
		}
		if key == "" {
			return callbacks.Default.Configure(o)
		}
		registries.Lock()
		defer registries.Unlock()
		r, err := callbacks.NewRegistry(key, o)
		if err != nil {
			if registries.open[key] != nil {
				return &statusError{C.CALLIOPE_ALREADY_EXISTS, fmt.Errorf("calliope: calliope_registry_open: the registry %q exists already: close it first, or use another name", key)}
			}
			return err
		}
		registries.open[key] = newRegistry(r)
		return nil
	})
}

//export calliopeRegistryClose
func calliopeRegistryClose(name *C.char) C.calliope_status {
	return protect(func() error {
		key := text(name)
		if key == "" || key == passes.LegacyRegistry {
			r, err := registryOf(key)
			if err == nil {
				err = invalid("calliope_registry_close: %s cannot be closed: unregister its callbacks", r)
			}
			return err
		}
		list, err := closeRegistry(key)
		// drop may call the library.
		for _, f := range list {
			f.release()
		}
		return err
	})
}

// closeRegistry closes a registry. It returns the functions that were registered in it.
func closeRegistry(name string) ([]*function, error) {
	registries.Lock()
	defer registries.Unlock()
	r := registries.open[name]
	if r == nil {
		return nil, noRegistry(name)
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	delete(registries.open, name)
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.AppendSeq(slices.Collect(maps.Values(r.names)), maps.Values(r.ids))
	clear(r.names)
	clear(r.ids)
	return list, nil
}
