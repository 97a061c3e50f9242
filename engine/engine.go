package engine

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/tensor"
)

// An Engine compiles modules for its devices. It is safe for concurrent use, and can be compared by ==: what is
// compiled for one is not compiled again for an equal one.
type Engine interface {
	// String describes the engine in a few words.
	String() string
	Can() Abilities
	NumDevices() int
	// Compile compiles a module. The error is a *[RefusedError] if the engine lacks what the module needs, so that
	// another one may compile it. When ctx ends, Compile returns its error.
	Compile(ctx context.Context, p Program, o CompileOptions) (Executable, error)
	// ArrayFromHost copies a host array to a device.
	ArrayFromHost(ctx context.Context, v tensor.View, device int) (*Array, error)
	// BorrowFromHost is ArrayFromHost, but the array on the device is the host array itself if that is possible: see
	// Borrow. It must not change until the Array is closed and every run and view that uses it is over.
	BorrowFromHost(ctx context.Context, v tensor.View, device int) (*Array, error)
	// Owns reports whether the engine runs with the array.
	Owns(a *Array) bool
}

// Abilities are what an engine can do.
type Abilities struct {
	Callbacks bool // compiled code calls functions of the host
	All       bool // it compiles every module, and refuses none because it lacks something
	OnHost    bool // it has one device, whose memory is that of the host: its Arrays are those of NewHostArray
}

// An Orderer is an Engine that orders work of the host with its runs: see bridge.Client.Order. Without it, package
// stages orders its runs by an [Order].
type Orderer interface {
	Order(ctx context.Context, effects ...string) (done func(error), err error)
}

// A Program is a module for [Engine.Compile], such as that of passes.Program. It may tell more of the module: see
// bridge.DescribedProgram, which XLA asks, and jit.ModuleProgram.
type Program interface {
	// Artifact returns the module in a form that engines read: text, bytecode or a portable artifact. version is the
	// StableHLO version that the engine reads, such as "1.13.3", or "" for any.
	Artifact(version string) ([]byte, error)
}

// A RefusedError says that an engine lacks what a module needs.
type RefusedError struct{ Err error }

// Error returns the text of Err.
func (e *RefusedError) Error() string { return fmt.Sprint(e.Err) }

// Unwrap returns Err.
func (e *RefusedError) Unwrap() error { return e.Err }
