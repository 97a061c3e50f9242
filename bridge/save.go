package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/calliope-mlir/calliope/bridge/internal/saved"
	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/native"
)

// An UnsavableError reports a call of a program that [Executable.Serialize] refuses, because
// the call would be bound to another function, or to none, in another process.
type UnsavableError struct{ Call CallSite }

func (e *UnsavableError) Error() string {
	var b strings.Builder
	b.WriteString("bridge: Serialize: the call ")
	if e.Call.Name != "" {
		fmt.Fprintf(&b, "of %s ", e.Call.Name)
	}
	fmt.Fprintf(&b, "(@%s, %s", e.Call.Target, e.Call.Signature)
	if e.Call.Config.Loc != "" {
		fmt.Fprintf(&b, ", at %s", e.Call.Config.Loc)
	}
	b.WriteString(") ")
	switch {
	case e.Call.Config.Host.Encoding == contract.EncodingOperand:
		b.WriteString("has its callback's id as an operand, and the ids are those of one process")
	case e.Call.Config.ID != 0:
		b.WriteString("is bound by an id, which only this process has")
	default:
		b.WriteString("is bound by attributes that cannot be read in the compiled program")
	}
	b.WriteString(": bind the callback by a name")
	return b.String()
}

// savable returns an *UnsavableError if the call cannot be bound in another process.
func (s CallSite) savable() error {
	if s.Config.ByName() || s.Config.Host.Opaque != "" {
		return nil
	}
	return &UnsavableError{s}
}

// NotSaved is the Reason of a SavedError about bytes that are no saved program, but perhaps a module.
const NotSaved = saved.NotSaved

// A SavedError reports a saved program that [Client.Load] refuses before XLA reads it. To
// have a program that can be loaded, compile the module again.
type SavedError struct {
	// Reason is [NotSaved], or what is not as it was saved: "format" for a program of another release, "damaged" for
	// one that was cut or changed, "platform" for another operating system or architecture, "plugin" for another build
	// of the plugin, "cpu" for a CPU with other features.
	Reason string
	// Want is what the saved program needs, and Got what was found: sizes or checksums of a damaged program, and the
	// features that only one of two CPUs has.
	Want, Got string
}

func (e *SavedError) Error() string {
	const again = ": compile the module again"
	switch e.Reason {
	case NotSaved:
		return "bridge: Load: the data is not a saved program: give what Executable.Serialize returned"
	case saved.Format:
		return fmt.Sprintf("bridge: Load: the saved program has format %s, but this release reads format %s%s", e.Want,
			e.Got, again)
	case saved.Damaged:
		return fmt.Sprintf("bridge: Load: the saved program is damaged: want %s, got %s%s", e.Want, e.Got, again)
	case saved.CPU:
		text := "bridge: Load: the program was compiled for another CPU"
		if e.Want != "" {
			text += fmt.Sprintf(", which has %.400s", e.Want)
		}
		if e.Got != "" {
			text += fmt.Sprintf("; this one has %.400s", e.Got)
		}
		return text + again
	}
	return fmt.Sprintf("bridge: Load: the program was compiled for another %s: %s; this is %s%s", e.Reason, e.Want,
		e.Got, again)
}

// savedError returns an error of package saved as a *SavedError.
func savedError(err error) error {
	if e, ok := errors.AsType[*saved.Error](err); ok {
		return (*SavedError)(e)
	}
	return err
}

// Serialize returns the compiled program as bytes, for [Client.Load] in this or another
// process. The bytes are machine code for this plugin's file and this CPU, and two calls
// return different ones. Their form is that of one release: keep the module, too.
//
// A program with a callback that is bound by an id of this process is refused with an
// *[UnsavableError], which names the call. Callbacks that are bound by a name, or by an opaque
// id of another host, are bound anew by Load. If the plugin cannot save programs, the error
// matches errors.ErrUnsupported.
func (e *Executable) Serialize() ([]byte, error) {
	e.given("Serialize")
	return e.serialize("")
}

// serialize is Serialize for an entry of a Cache, if key is not empty.
func (e *Executable) serialize(key string) ([]byte, error) {
	if !e.life.Use() {
		return nil, fmt.Errorf("bridge: Serialize: the executable is %w", ErrClosed)
	}
	defer func() { _ = e.done() }()
	h, err := e.client.savedHere()
	if err != nil {
		return nil, fmt.Errorf("bridge: Serialize: %w", err)
	}
	if len(e.xla.Program) == 0 {
		return nil, fmt.Errorf("bridge: Serialize: the plugin does not report the compiled program, so its callbacks are not known: %w", errors.ErrUnsupported)
	}
	for _, s := range e.Callbacks() {
		if err := s.savable(); err != nil {
			return nil, err
		}
	}
	code := e.code
	if code == nil {
		if code, err = e.pjrt.Serialize(); err != nil {
			return nil, pluginError("serialize", err)
		}
	}
	h.Replicas, h.Partitions, h.Key, h.Effects, h.JAX = e.replicas, e.partitions, key, e.effects, e.jax
	return saved.File{Header: h, Optimized: e.xla.Program, Code: code}.Encode()
}

// Load makes an executable of what [Executable.Serialize] returned, much faster than Compile.
// It binds the callbacks as Compile does, with the same errors: if a name is not registered,
// the error is a [PluginError] in which errors.As finds a callbacks.UnknownError. The
// targets of the calls must be registered, see OpenOptions.Targets. The executable keeps a
// copy of the bytes, for Serialize.
//
// XLA reads the program only if the plugin's file, the platform, the CPU's features and the
// checksums are those that it was saved with. Otherwise the error is a *[SavedError], and the
// module must be compiled again. The checksums detect damage, and no intent: a saved program
// is machine code, so load only what you trust. If the plugin cannot load programs, the error
// matches errors.ErrUnsupported.
//
// XLA cannot stop loading. If ctx ends, Load returns ctx.Err(), and the executable is closed
// when it is loaded. Load does not write to data, and does not use it after it returns.
func (c *Client) Load(ctx context.Context, data []byte) (*Executable, error) {
	c.given("Load")
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	if err := c.use("Load"); err != nil {
		return nil, err
	}
	p, err := c.openSaved(data)
	if err != nil {
		_ = c.done() // the error says more
		return nil, err
	}
	p.Code = bytes.Clone(p.Code) // the executable keeps it
	e, err := orEnd(ctx, func() (*Executable, error) {
		e, err := c.load(p)
		if err != nil {
			_ = c.done() // the error says more
			return nil, err
		}
		if err := e.hideTokens(p.Effects); err != nil {
			_ = e.Close() // the error says more
			return nil, fmt.Errorf("bridge: Load: %w", err)
		}
		return e, nil
	})
	if err == nil {
		e.watch()
	}
	return e, err
}

// openSaved returns the parts of a saved program that XLA can load here.
func (c *Client) openSaved(data []byte) (saved.File, error) {
	p, err := saved.Decode(data)
	if err != nil {
		return p, savedError(err)
	}
	here, err := c.savedHere()
	if err != nil {
		return p, fmt.Errorf("bridge: Load: %w", err)
	}
	if err := p.Fits(here); err != nil {
		return p, savedError(err)
	}
	if _, err := checkOptions(engine.CompileOptions{Replicas: p.Replicas, Partitions: p.Partitions},
		c.NumDevices()); err != nil {
		return p, fmt.Errorf("bridge: Load: %w", err)
	}
	return p, nil
}

// load loads a saved program, whose code the executable keeps. If it succeeds, it takes over
// one use of the client.
func (c *Client) load(p saved.File) (*Executable, error) {
	options := xla.CompileOptions{Replicas: p.Replicas, Partitions: p.Partitions}
	end, err := c.bindJAX(p.JAX, &options)
	if err != nil {
		return nil, err
	}
	defer end()
	loaded, err := c.xla.Load(p.Code, p.Optimized, options)
	if err != nil {
		return nil, pluginError("load", err)
	}
	e, err := c.executable(loaded, p.Replicas, p.Partitions, p.JAX)
	if err != nil {
		return nil, err
	}
	e.code = p.Code
	return e, nil
}

// savedHere returns the header of a program that is saved now. It returns an error if the
// plugin cannot save programs, or if the machine is not known.
func (c *Client) savedHere() (saved.Header, error) {
	if err := c.plugin.pjrt.CanSave(); err != nil {
		return saved.Header{}, err
	}
	if c.pinned != nil {
		return saved.Header{}, fmt.Errorf(
			"programs for GPUs are not saved, because a saved program does not say for which GPU: %w",
			errors.ErrUnsupported)
	}
	m := saved.This()
	if len(m.Features) == 0 {
		return saved.Header{}, fmt.Errorf("the features of this machine's CPU are not known (%s): %w",
			m.System, errors.ErrUnsupported)
	}
	sum, err := c.plugin.sha256()
	if err != nil {
		return saved.Header{}, err
	}
	return saved.Header{
		Plugin: sum, Version: c.plugin.versions(), Platform: c.xla.Platform(),
		System: m.System, CPU: m.CPU, Features: m.Features,
	}, nil
}

// sha256 returns the SHA-256 of the plugin's file, in hexadecimal. Reading the file takes up
// to a second, so it is read once; see native.SHA256.
func (p *Plugin) sha256() (string, error) {
	p.sumOnce.Do(func() {
		p.sum, p.sumErr = native.SHA256(p.path)
		if now, err := os.Stat(p.path); p.sumErr == nil && (err != nil || !sameFile(p.file, now)) {
			p.sumErr = fmt.Errorf("the plugin's file %s has changed since it was loaded: start the process again",
				p.path)
		}
	})
	return p.sum, p.sumErr
}

// sameFile reports whether a file was not replaced or changed.
func sameFile(before, now os.FileInfo) bool {
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// versions describes the plugin's build for people.
func (p *Plugin) versions() string {
	text := "PJRT " + version(p.pjrt.Version()) + ", FFI " + p.ffiVersion()
	if v, ok := p.xla.Attributes()["xla_version"]; ok {
		text += ", XLA " + v
	}
	if p.stablehlo != "" {
		text += ", StableHLO " + p.stablehlo
	}
	return text
}
