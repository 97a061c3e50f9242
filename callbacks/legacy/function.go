package legacy

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/legacy"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/tensor"
)

// Registry is the registry of functions that passes.ReplaceLegacy binds calls to, if it names no
// other one. Its name is "legacy".
var Registry = newRegistry()

func newRegistry() *callbacks.Registry {
	r, err := callbacks.NewRegistry("legacy", callbacks.RegistryOptions{})
	if err != nil {
		panic(err) // another package took the name while the program was initialized
	}
	return r
}

// A Function is a function of an old convention. It is safe for concurrent use if the function is.
type Function struct {
	name, platform string
	form           Form
	address        unsafe.Pointer // of a function of C
	call           func(f *callbacks.Frame, c *call) error

	last  atomic.Pointer[call]
	calls sync.Map // of *call by callKey
}

// Pointer returns the C function at an address. The form must be that of its signature, which
// cannot be checked.
func Pointer(address unsafe.Pointer, form Form) (*Function, error) {
	switch {
	case !form.valid():
		return nil, fmt.Errorf("callbacks/legacy: there is no form %d of a function: use Host, HostStatus, HostOpaque, GPU or GPUStatus", form)
	case address == nil:
		return nil, fmt.Errorf("callbacks/legacy: the address of the function of the form %s is null", form)
	}
	f := &Function{form: form, address: address}
	f.call = f.callC
	return f, nil
}

// Name returns the target that a library registered the function for, or the name of its symbol. It is
// empty for other functions.
func (f *Function) Name() string { return f.name }

// Platform returns the platform that a library registered the function for, such as "Host" or "CUDA". It
// is empty for other functions.
func (f *Function) Platform() string { return f.platform }

// Form returns the signature of the function.
func (f *Function) Form() Form { return f.form }

// Register makes the function serve a target of custom calls, as the callback of that name in a registry.
// nil is Registry. An empty target is the function's name. Options.Check must be nil.
func (f *Function) Register(r *callbacks.Registry, target string, o callbacks.Options) error {
	if f == nil || f.call == nil {
		return fmt.Errorf("callbacks/legacy: the function for the target %q is nil", target)
	}
	r = cmp.Or(r, Registry)
	target = cmp.Or(target, f.name)
	if target == "" || strings.ContainsRune(target, 0) {
		return fmt.Errorf("callbacks/legacy: %q is not a name of a custom call target: give the name that modules call", target)
	}
	if o.Check != nil {
		return fmt.Errorf("callbacks/legacy: target %q: Options.Check is set by Register: leave it out", target)
	}
	o.Check = func(c contract.Config) error { return f.check(target, c) }
	return r.Register(target, f.serve, o)
}

// check returns an error if the function cannot serve a call of a module.
func (f *Function) check(target string, c contract.Config) error {
	switch {
	case c.Legacy.Version == 0:
		return fmt.Errorf("callbacks/legacy: the call of %q has no key \"legacy\", so it is not of an old convention: rewrite the module with passes.ReplaceLegacy", target)
	case !f.form.Serves(c.Legacy.Version):
		return &VersionError{Target: target, Version: c.Legacy.Version, Form: f.form}
	case c.NumIDs > 0:
		return fmt.Errorf("callbacks/legacy: the call of %q has %d ids, which functions of old conventions do not get",
			target, c.NumIDs)
	}
	return nil
}

// A StatusError is the failure that a function reported with XlaCustomCallStatusSetFailure.
type StatusError struct {
	Target  string
	Message string // as the function gave it; it may be any bytes
}

// Error returns a text of one line, without control characters.
func (e *StatusError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the custom call %q failed, without a message", e.Target)
	}
	return fmt.Sprintf("the custom call %q failed: %s", e.Target,
		errtext.Line(strings.ToValidUTF8(e.Message, "\uFFFD")))
}

// serve is the callbacks.Func of the function.
func (f *Function) serve(frame *callbacks.Frame) error {
	c, err := f.callOf(frame)
	if err != nil {
		return err
	}
	for _, views := range [...][]tensor.View{frame.Args, frame.Results} {
		for i := range views {
			if d := views[i].Shape.DType; d.Bits() < 8 && d != tensor.Pred {
				return fmt.Errorf("callbacks/legacy: the custom call %q has an array %s: elements of less than a byte are not supported", frame.Name, views[i].Shape)
			}
		}
	}
	return f.call(frame, c)
}

// memories has the memory of calls of C, which are not in progress.
var memories = sync.Pool{New: func() any { return new(legacy.Call) }}

// callC calls a function of C.
func (f *Function) callC(frame *callbacks.Frame, c *call) error {
	memory := memories.Get().(*legacy.Call)
	defer memories.Put(memory)
	for i := range frame.Args {
		memory.Add(frame.Args[i].Data)
	}
	for i := range frame.Results {
		memory.Add(frame.Results[i].Data)
	}
	err := memory.Run(c.name, f.address, int(f.form), c.layout, c.opaque)
	if err == nil {
		return nil
	}
	if failure, ok := errors.AsType[*legacy.Failure](err); ok {
		return &StatusError{Target: frame.Name, Message: failure.Message}
	}
	return fmt.Errorf("callbacks/legacy: the custom call %q: %w", frame.Name, err)
}
