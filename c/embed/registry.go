package embed

/*
#include "api.h"
*/
import "C"

import (
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
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
}{open: map[string]*registry{"": newRegistry(callbacks.Default)}}

// registryOf returns the open registry of a name.
func registryOf(name string) (*registry, error) {
	registries.Lock()
	defer registries.Unlock()
	r := registries.open[name]
	if r == nil {
		return nil, &statusError{C.CALLIOPE_NOT_FOUND, invalid("there is no registry %q: make it by calliope_registry_open", name)}
	}
	return r, nil
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
				return invalid("options.struct_size is %d: set it to sizeof(calliope_registry_options), which is %d", in.struct_size, C.sizeof_calliope_registry_options)
			}
			if in.workers < 0 || in.lost_limit < 0 || in.timeout_ns < 0 || in.queue_bytes < 0 {
				return invalid("calliope_registry_open: an option is negative")
			}
			o = callbacks.RegistryOptions{
				Workers: int(in.workers), LostLimit: int(in.lost_limit),
				Timeout: time.Duration(in.timeout_ns), QueueBytes: int(in.queue_bytes),
			}
		}
		key := text(name)
		if key == "" {
			return callbacks.Default.Configure(o)
		}
		registries.Lock()
		defer registries.Unlock()
		r, err := callbacks.NewRegistry(key, o)
		if err != nil {
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
		if key == "" {
			return invalid("calliope_registry_close: the default registry cannot be closed: unregister its callbacks")
		}
		r, err := registryOf(key)
		if err != nil {
			return err
		}
		if err := r.Close(); err != nil {
			return err
		}
		registries.Lock()
		delete(registries.open, key)
		registries.Unlock()
		r.mu.Lock()
		names, ids := r.names, r.ids
		r.names, r.ids = nil, nil
		r.mu.Unlock()
		for _, f := range names {
			f.release()
		}
		for _, f := range ids {
			f.release()
		}
		return nil
	})
}
