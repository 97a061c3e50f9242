package legacy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/run/legacy"
)

// A Library is a shared library with functions of C. It stays loaded until the process ends. It is safe for
// concurrent use.
type Library struct {
	library   *dl.Library
	functions []*Function
}

// Open loads a shared library and reads the functions that it registers with the macros of
// calliope_custom_call.h, if there are any. A function is refused that is registered for the platform "Host" with the
// signature of a GPU, or for another one with a signature of the host.
//
// A library that was built with XLA's own headers may use XlaCustomCallStatusSetFailure and
// XlaCustomCallStatusSetSuccess, but not XLA's macros.
func Open(path string) (*Library, error) {
	library, err := dl.Open(path)
	if err != nil {
		why := ""
		if strings.Contains(err.Error(), "undefined symbol") && strings.Contains(err.Error(), "CustomCall") {
			why = " (build the library with calliope_custom_call.h in place of XLA's headers)"
		}
		return nil, fmt.Errorf("callbacks/legacy: %w%s", err, why)
	}
	l := &Library{library: library}
	list := library.Symbol("calliope_custom_calls")
	if list == nil {
		return l, nil
	}
	entries, err := legacy.Entries(list)
	if err != nil {
		return nil, fmt.Errorf("callbacks/legacy: %s: %w", path, err)
	}
	for _, e := range entries {
		f, err := functionOf(e)
		if err != nil {
			return nil, fmt.Errorf("callbacks/legacy: %s: %w", path, err)
		}
		l.functions = append(l.functions, f)
	}
	return l, nil
}

// hostPlatform is the platform of functions with the Host forms.
const hostPlatform = "Host"

func functionOf(e legacy.Entry) (*Function, error) {
	form := Form(e.Form)
	onHost := strings.EqualFold(e.Platform, hostPlatform)
	if e.Form == legacy.ByPlatform {
		form = GPUStatus
		if onHost {
			form = HostOpaque
		}
	}
	if onHost != (form < GPU) {
		return nil, fmt.Errorf("the function %q is registered for the platform %q with the signature %s: register it for %s",
			e.Name, e.Platform, form.Signature(), map[bool]string{true: `"CUDA" or "ROCM"`, false: `"Host"`}[onHost])
	}
	f, err := Pointer(e.Function, form)
	if err != nil {
		return nil, err
	}
	f.name, f.platform = e.Name, e.Platform
	return f, nil
}

// Functions returns the functions that the library registers, in the order of registration.
func (l *Library) Functions() []*Function { return slices.Clone(l.functions) }

// Function returns the function that the library registers for a target. If there are functions for several
// platforms, it is the one for "Host". If there is none, the error names those that there are.
func (l *Library) Function(target string) (*Function, error) {
	var found *Function
	var names []string
	for _, f := range l.functions {
		if f.name == target && (found == nil || strings.EqualFold(f.platform, hostPlatform)) {
			found = f
		}
		names = append(names, f.name)
	}
	if found != nil {
		return found, nil
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("callbacks/legacy: %s registers no functions: register them with calliope_custom_call.h, or name a symbol and its form", l.library.Path())
	}
	slices.Sort(names)
	return nil, fmt.Errorf("callbacks/legacy: %s registers no function for the target %q; it registers %s",
		l.library.Path(), target, strings.Join(slices.Compact(names), ", "))
}

// Symbol returns the function that the library exports by a name. The form must be that of its signature. If the
// library registers the function with another form, Symbol returns an error; otherwise the form cannot be
// checked.
func (l *Library) Symbol(name string, form Form) (*Function, error) {
	address := l.library.Symbol(name)
	if address == nil {
		return nil, fmt.Errorf("callbacks/legacy: %s exports no symbol %q: declare the function extern \"C\" in C++, and give it default visibility", l.library.Path(), name)
	}
	for _, f := range l.functions {
		if f.address == address && f.form != form {
			return nil, fmt.Errorf("callbacks/legacy: %s registers the function %q with the form %s, not %s",
				l.library.Path(), name, f.form, form)
		}
	}
	f, err := Pointer(address, form)
	if err != nil {
		return nil, err
	}
	f.name = name
	return f, nil
}
