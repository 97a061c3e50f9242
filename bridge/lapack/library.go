package lapack

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/fortran"
	"github.com/calliope-mlir/calliope/native"
)

// registryName is the name of the registry that has the callbacks.
const registryName = "lapack"

// Targets returns the custom call targets that [Register] serves, in alphabetical order. It
// does not need the library.
func Targets() []string {
	var names []string
	for _, r := range routines {
		for _, v := range r.variants {
			names = append(names, v.target())
		}
	}
	slices.Sort(names)
	return names
}

// A Plugin serves the targets of other hosts. A *bridge.Plugin is one.
type Plugin interface {
	RegisterForeign(callbacks.ForeignTarget) error
}

// Register makes a plugin serve the targets. It opens the library, once in the process. If the
// library is missing, the error is a [*native.NotFoundError], which names the command that
// fetches it; native.Ensure does the same. Registering a plugin again does nothing. Register may
// be called by several goroutines.
//
// Of the foreign targets that a process serves (see bridge.Plugin.RegisterForeign), these
// are 60.
func Register(plugin Plugin) error {
	if plugin == nil {
		return errors.New("lapack: Register: the plugin is nil: check the error that was returned with it")
	}
	targets, err := Foreign()
	if err != nil {
		return err
	}
	for _, t := range targets {
		if err := plugin.RegisterForeign(t); err != nil {
			return err
		}
	}
	return nil
}

// Foreign returns the targets that [Register] serves, for package stages: it makes their calls between compiled
// modules, where a plugin cannot. Foreign opens the library, as Register does.
func Foreign() (targets []callbacks.ForeignTarget, err error) {
	if err := open(); err != nil {
		return nil, err
	}
	for _, r := range routines {
		for _, v := range r.variants {
			targets = append(targets, callbacks.ForeignTarget{
				Target: v.target(), Callback: v.name, Registry: registryName,
				Check: r.check, AnyLayout: true,
			})
		}
	}
	return targets, nil
}

var opened struct {
	sync.Mutex
	done bool
}

// open opens the library and registers its routines as callbacks.
func open() error {
	opened.Lock()
	defer opened.Unlock()
	if opened.done {
		return nil
	}
	found, err := native.Find(native.LAPACK)
	if err != nil {
		return fmt.Errorf("lapack: %w", err)
	}
	functions, err := load(found.Path)
	if err != nil {
		return fmt.Errorf("lapack: %w: set %s to a whole LAPACK with its BLAS, or unset it", err, native.LAPACK.Env())
	}
	registry, err := callbacks.NewRegistry(registryName, callbacks.RegistryOptions{})
	if err != nil {
		return fmt.Errorf("lapack: %w", err)
	}
	for name, function := range functions {
		if err := registry.Register(name, function, callbacks.Options{}); err != nil {
			return fmt.Errorf("lapack: %w", errors.Join(err, registry.Close()))
		}
	}
	opened.done = true
	return nil
}

// load opens a library and returns the functions that call its routines, by the names of
// these.
func load(path string) (map[string]callbacks.Func, error) {
	library, err := fortran.Open(path, "dpotrf")
	if err != nil {
		return nil, err
	}
	functions := map[string]callbacks.Func{}
	for _, r := range routines {
		for _, v := range r.variants {
			address, err := library.Routine(v.name)
			if err != nil {
				return nil, err
			}
			functions[v.name] = func(f *callbacks.Frame) error { return r.serve(v, address, f) }
		}
	}
	return functions, nil
}
