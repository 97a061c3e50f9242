package bridge

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/native"
)

// A Plugin is a PJRT plugin, with which XLA compiles and runs. It is loaded once in a
// process and stays loaded until the process ends. It is safe for concurrent use.
type Plugin struct {
	path string
	vlog string
	pjrt *pjrt.Plugin
	ffi  *ffi.Registry
	xla  *xla.Plugin

	stablehlo string // the version that the plugin reports, see Program; "" if it does not

	file    os.FileInfo // when it was loaded
	flags   string      // see xlaFlags, when it was loaded
	sumOnce sync.Once
	sum     string // see sha256
	sumErr  error

	parsed    atomic.Bool // whether XLA has read XLA_FLAGS
	knownOnce sync.Once
	known     map[string]bool // see knownFlags
	knownErr  error

	debug    atomic.Bool // for clients that are made from now on
	dropsNaN atomic.Bool // whether XLA has no flag keepsNaN

	mu      sync.Mutex
	targets map[string]bool // the registered targets
	foreign map[string]serve.Foreign
	clients map[*Client]struct{} // kept until closed; see Client.Close
}

// OpenOptions are the options of [Open].
type OpenOptions struct {
	// Path is the file of the plugin's library. If it is empty, native.Find searches for
	// the library: the environment variable CALLIOPE_PJRT_PLUGIN, the cache, the system.
	Path string
	// VLog enables the log of the plugin, which it writes to stderr: a level, such as "0" without verbose lines or
	// "1", or levels of modules, which are the names of XLA's source files, such as
	// "cpu_compiler=3,thunk_executor=1". The plugin reads it once, when it is loaded: a
	// VLog for a plugin that is open is an error. The environment variables
	// TF_CPP_MIN_LOG_LEVEL, TF_CPP_MAX_VLOG_LEVEL and TF_CPP_VMODULE, if they are set, decide instead.
	VLog string
	// Targets are the custom call targets that call Go; nil means contract.Targets. If
	// the plugin is open already, missing targets are added.
	Targets []string
	// Foreign are the custom call targets with attributes of their own; see
	// Plugin.RegisterForeign.
	Foreign []callbacks.ForeignTarget
	// Debug detects views that are used after their call, in clients that are made from
	// now on. An inline callback gets copies, whose memory becomes inaccessible when it
	// returns, so a later use stops the program. Each copy ends at a page that cannot be accessed, and a
	// callback that writes to the bytes around it fails. An engine.View is a copy, too. Each
	// call is logged at level Debug, with whether results share memory with operands. A
	// borrowed host array is checked for changes at the end of its use.
	// The environment variable CALLIOPE_DEBUG=1 has the same effect.
	Debug bool
}

// enabled reports whether an environment variable has a true value of strconv.ParseBool.
func enabled(variable string) bool {
	on, err := strconv.ParseBool(os.Getenv(variable))
	return err == nil && on
}

// loading is held while a plugin is loaded, which may take seconds: those that are open go on.
var loading sync.Mutex

var opened = struct {
	sync.Mutex
	plugins map[string]*Plugin
}{plugins: map[string]*Plugin{}}

// Open loads a plugin and registers the handler of the contract's targets with it. It never
// downloads: if there is no plugin, the error is a native.NotFoundError, which names the
// command that fetches one. Opening the same path again returns the same Plugin. On Windows
// Open returns an error, because no plugin runs there.
//
// Open runs code of the library before it can look at it: open only what you trust. It returns an error for a
// library that is no plugin, or whose table is of another release, cannot be read, or lacks functions.
func Open(o OpenOptions) (*Plugin, error) {
	if err := serve.Supported(); err != nil {
		return nil, err
	}
	path := o.Path
	if path == "" {
		found, err := native.Find(native.PJRTPlugin)
		if err != nil {
			return nil, fmt.Errorf("bridge: %w", err)
		}
		path = found.Path
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("bridge: %w", err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a library with two names is one plugin
	}
	p, err := openAt(path, o)
	if err != nil {
		return nil, err
	}
	if o.VLog != "" && o.VLog != p.vlog {
		return nil, fmt.Errorf("bridge: VLog is set for %s, which is open already: set it in the first Open of the process", path)
	}
	if err := serve.Interrupts(); err != nil {
		return nil, err
	}
	targets := o.Targets
	if targets == nil && p.CallsBack() {
		targets = contract.Targets()
	}
	for _, target := range targets {
		if err := p.registerTarget(target); err != nil {
			return nil, err
		}
	}
	for _, target := range o.Foreign {
		if err := p.RegisterForeign(target); err != nil {
			return nil, err
		}
	}
	if o.Debug || enabled("CALLIOPE_DEBUG") {
		p.debug.Store(true)
	}
	return p, nil
}

// openPlugin returns the plugin of a path that is open, or nil, and the number of those that are.
func openPlugin(path string) (p *Plugin, n int) {
	opened.Lock()
	defer opened.Unlock()
	return opened.plugins[path], len(opened.plugins)
}

// openAt returns the plugin of a path, and loads it if it is not open.
func openAt(path string, o OpenOptions) (*Plugin, error) {
	if p, _ := openPlugin(path); p != nil {
		return p, nil
	}
	loading.Lock()
	defer loading.Unlock()
	p, n := openPlugin(path) // another goroutine may have loaded it meanwhile
	if p != nil {
		return p, nil
	}
	p, err := load(path, o, fmt.Sprintf("calliope%d", n))
	if err != nil {
		return nil, fmt.Errorf("bridge: PJRT plugin %s: %w", path, err)
	}
	opened.Lock()
	defer opened.Unlock()
	opened.plugins[path] = p
	return p, nil
}

// registerTarget makes Go the handler of one more custom call target, for modules that call
// the contract by another name. If the target is registered already, it does nothing.
func (p *Plugin) registerTarget(target string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, foreign := p.foreign[target]; foreign {
		return fmt.Errorf("bridge: custom call target %q: a callback serves it already, see RegisterForeign: leave it out of OpenOptions.Targets", target)
	}
	if p.targets[target] {
		return nil
	}
	if err := serve.CheckTarget(target); err != nil {
		return err
	}
	if err := p.pjrt.CanCall(); err != nil {
		return fmt.Errorf("bridge: custom call target %q: %w", target, err)
	}
	if err := serve.Register(p.ffi, target); err != nil {
		return err
	}
	p.targets[target] = true
	return nil
}

// served returns the custom call targets that Go handles.
func (p *Plugin) served() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.targets)
}

// rowMajor returns the custom call targets whose operands and results must be row-major.
func (p *Plugin) rowMajor() map[string]bool {
	targets := p.served()
	maps.DeleteFunc(targets, func(target string, _ bool) bool {
		foreign, _ := p.foreignTo(target)
		return foreign.AnyLayout
	})
	return targets
}

func load(path string, o OpenOptions, name string) (*Plugin, error) {
	if err := setLog(o); err != nil {
		return nil, err
	}
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	library, err := dl.Open(path)
	if err != nil {
		return nil, err
	}
	serve.Setup()
	plugin, err := pjrt.Load(library)
	if err != nil {
		return nil, err
	}
	var registry *ffi.Registry // nil if compiled code cannot call back
	if plugin.CanCall() == nil {
		if registry, err = ffi.Open(plugin.RegisterHandler, plugin.Platform()); err != nil {
			return nil, err
		}
	}
	compiler, err := xla.Open(name, plugin)
	if err != nil {
		return nil, pluginError("initialize", err)
	}
	return &Plugin{
		path: path, vlog: o.VLog, pjrt: plugin, ffi: registry, xla: compiler, stablehlo: compiler.StableHLOVersion(),
		file: file, flags: xlaFlags(),
		targets: map[string]bool{}, foreign: map[string]serve.Foreign{}, clients: map[*Client]struct{}{},
	}, nil
}

// Info describes a loaded plugin.
type Info struct {
	Path string
	PJRT string // version of the PJRT API, such as "0.81"
	// version of XLA's typed FFI, which selects the layout of call frames; "" if it has none
	FFI        string
	Attributes map[string]string // the plugin's attributes
}

// Info returns a description of the plugin.
func (p *Plugin) Info() Info {
	p.given("Info")
	return Info{Path: p.path, PJRT: version(p.pjrt.Version()), FFI: p.ffiVersion(), Attributes: p.xla.Attributes()}
}

// CallsBack reports whether compiled code can call Go: whether the plugin has XLA's typed FFI. If it does not,
// package stages cuts modules at their callbacks.
func (p *Plugin) CallsBack() bool {
	p.given("CallsBack")
	return p.ffi != nil
}

// ffiVersion returns the version of XLA's typed FFI, or "" if the plugin has none.
func (p *Plugin) ffiVersion() string {
	if p.ffi == nil {
		return ""
	}
	return version(p.ffi.Version())
}

func version(major, minor int) string { return fmt.Sprintf("%d.%d", major, minor) }

// given panics because a method was called on a nil pointer or a zero value.
func (p *Plugin) given(method string) {
	if p == nil || p.pjrt == nil {
		panic(errtext.Receiver("bridge: Plugin."+method, p == nil, "Open"))
	}
}

// setLog sets what the plugin logs. It reads these variables once, when it is loaded, and
// from C, so a Go program must set them before.
func setLog(o OpenOptions) error {
	level, modules, err := vlog(o.VLog)
	if err != nil {
		return err
	}
	least := "3" // only fatal errors
	if o.VLog != "" {
		least = "0" // verbose lines are of the level INFO
	}
	for _, v := range []struct{ name, value string }{
		{"TF_CPP_MIN_LOG_LEVEL", least}, {"TF_CPP_MAX_VLOG_LEVEL", level}, {"TF_CPP_VMODULE", modules},
	} {
		if _, set := os.LookupEnv(v.name); set || v.value == "" {
			continue
		}
		if err := os.Setenv(v.name, v.value); err != nil {
			return err
		}
	}
	return nil
}

// vlog divides OpenOptions.VLog into a level and levels of modules.
func vlog(text string) (level, modules string, err error) {
	wrong := func(part string) error {
		return fmt.Errorf("VLog: %q is neither a level, such as 1, nor a module and its level, such as cpu_compiler=3",
			part)
	}
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		module, of, ok := strings.Cut(part, "=")
		if !ok {
			of = part
		}
		switch n, err := strconv.Atoi(of); {
		case text == "":
		case err != nil || n < 0 || n > 99 || ok && (module == "" || strings.ContainsAny(module, " \t\x00")):
			return "", "", wrong(part)
		case ok:
			list = append(list, part)
		case level != "":
			return "", "", fmt.Errorf("VLog: %q has two levels: give one, and levels of modules", text)
		default:
			level = of
		}
	}
	return level, strings.Join(list, ","), nil
}
