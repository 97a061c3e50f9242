package xla

import (
	"errors"

	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

// gopjrt needs dlfcn.h, which Windows lacks. There, Open returns an error, so that nothing
// else is ever called.
var errWindows = errors.New("gopjrt does not build on Windows")

// A Plugin cannot be opened on Windows.
type Plugin struct{}

// Open returns an error.
func Open(string, *pjrt.Plugin) (*Plugin, error) { return nil, errWindows }

func (*Plugin) Attributes() map[string]string { return nil }

func (*Plugin) StableHLOVersion() string { return "" }

func (*Plugin) NewClient(ClientOptions) (*Client, error) { return nil, errWindows }

// ClientOptions are those of other platforms.
type ClientOptions struct {
	Devices, Process, Processes int
	Store                       pjrt.Store
}

// Client has the methods of other platforms.
type Client struct{}

func (*Client) PJRT() *pjrt.Client { return nil }

func (*Client) Platform() string { return "" }

func (*Client) Close() error { return errWindows }

func (*Client) Closed() bool { return true }

func (*Client) Compile([]byte, CompileOptions) (*Executable, error) { return nil, errWindows }

func (*Client) Load([]byte, []byte, CompileOptions) (*Executable, error) { return nil, errWindows }

// ExecutablesAlive returns 0.
func ExecutablesAlive() int64 { return 0 }

// Executable has the fields of other platforms.
type Executable struct {
	Name       string
	NumOutputs int
	Devices    []int
	PJRT       pjrt.Executable
	Program    []byte
}

// CompileOptions has the fields of other platforms.
type CompileOptions struct {
	Replicas   int
	Partitions int
	GSPMD      bool
	Flags      map[string]string
	Within     func(func())
}

func (*Executable) Close() error { return errWindows }
