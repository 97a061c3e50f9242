package mlir

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/ir/checkform"
	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/internal/ir/shardyform"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
	"github.com/calliope-mlir/calliope/native"
)

// A Library is a shared library that exports the MLIR C API. It remains open until the
// process ends and may be used concurrently.
type Library struct {
	api     *capi.Table
	path    string
	version string // of the pinned build, or ""
	torch   bool   // it is torch-mlir's
	learned learned
	has     sync.Map // namespace of a dialect -> bool
	lacks   func() []string
}

// OpenOptions selects the library that Open loads.
type OpenOptions struct {
	// Path is the path of the shared library. If it is empty, Open searches for the
	// default library: $CALLIOPE_MLIR_LIBRARY, then the cache, then the system's folders.
	Path string
	// Part is a known library to open in place of the default one, for example native.LLVM. It
	// must have been fetched: the error says how.
	Part native.Part
	// Dialects are namespaces of dialects that the library must have, for example "sdy". If
	// the default library lacks one, Open loads another known library that has them all.
	// A name that neither the library, with its Plugins, nor a known one has is an error. With a Path or a Part, or if
	// the library of $CALLIOPE_MLIR_LIBRARY has them, no other library is considered.
	Dialects []string
	// Process uses the MLIR of the process itself, in place of a library: a program in C or C++ that is linked
	// to MLIR has it, and exports its C API (if MLIR is in the program itself, it is linked with -rdynamic).
	Process bool
	// Plugins are paths of shared libraries with dialects and passes in C++. Their functions
	// mlirGetDialectHandle__NAMESPACE__ give dialects, which all contexts that are made after
	// that have, and those named mlirRegister…Passes register passes. A plugin must be linked
	// with the libMLIR.so that the library is linked with, which a library must be; see
	// examples/plugin. Plugins stay loaded, and opening the library again returns one that has
	// them. They work on Linux.
	Plugins []string
}

// required are the functions that every library must have.
var required = []string{
	"mlirContextCreateWithRegistry", "mlirContextDestroy", "mlirContextAttachDiagnosticHandler",
	"mlirDialectRegistryCreate", "mlirDialectRegistryDestroy", "mlirContextGetOrLoadDialect",
	"mlirModuleCreateParse", "mlirModuleGetOperation", "mlirModuleDestroy", "mlirOperationVerify",
	"mlirOperationPrintWithFlags", "mlirOperationWriteBytecode", "mlirOperationCreate",
	"mlirDiagnosticGetSeverity", "mlirDiagnosticGetLocation", "mlirDiagnosticPrint",
	"mlirDiagnosticGetNumNotes", "mlirDiagnosticGetNote",
}

// opened holds the libraries that are open: opening one again looks up two thousand functions.
var opened sync.Map // native.Location -> *Library

// Open loads an MLIR library. If it is open, Open returns the same one. It never downloads
// one: if it finds none, the error is a native.NotFoundError with the command that fetches
// it. If the library lacks the core of the C API, the error matches ErrUnsupported and says
// what the library is.
func Open(o OpenOptions) (*Library, error) {
	l, err := openWithPlugins(o)
	if err != nil {
		return nil, err
	}
	for _, d := range o.Dialects {
		if partsWith(d) == nil && !l.HasDialect(d) {
			return nil,
				fmt.Errorf("mlir: OpenOptions.Dialects: neither %s nor another known library has a dialect %q%s: "+
					"correct the name, or add its library to Plugins", l.path, d, l.nearestDialect(d))
		}
	}
	return l, nil
}

// nearestDialect returns a hint at the known dialect that somebody may have meant, or "".
func (l *Library) nearestDialect(name string) string {
	c := l.NewContext(ContextOptions{})
	defer c.Close()
	known := c.Dialects()
	for _, other := range dialectsOf {
		known = append(known, other.dialects...)
	}
	return nearest.Hint(nearest.Name(name, slices.Values(known)))
}

func openWithPlugins(o OpenOptions) (*Library, error) {
	l, err := openLibrary(o)
	if err != nil {
		return nil, err
	}
	for _, path := range o.Plugins {
		if err := l.addPlugin(path); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func openLibrary(o OpenOptions) (*Library, error) {
	if o.Part != "" {
		if o.Path != "" || o.Process {
			return nil,
				fmt.Errorf("mlir: OpenOptions names the %s, and a Path or Process: set only one of them", o.Part)
		}
		return openPart(o.Part, o.Dialects)
	}
	if o.Process {
		if o.Path != "" {
			return nil, fmt.Errorf("mlir: OpenOptions has a Path, %s, and Process: leave one of them out", o.Path)
		}
		return open(native.Location{}, o.Dialects)
	}
	if o.Path != "" {
		return open(native.Location{Path: o.Path}, o.Dialects)
	}
	l, err := openPart(native.MLIR, nil)
	if err != nil {
		return nil, err
	}
	if part := l.other(o.Dialects); part != "" {
		return openPart(part, o.Dialects)
	}
	return l, nil
}

// OpenFor opens the library that can read a module: the default one, unless the module uses
// a dialect that only another known library has. Library.Version returns which library it
// is. If that library was not fetched yet, the error is a native.NotFoundError with its part
// and the command that fetches it.
func OpenFor(source []byte) (*Library, error) {
	if !IsBytecode(source) {
		// Most texts name no dialect that the default library lacks.
		l, err := Open(OpenOptions{})
		if err == nil && l.known() != nil && len(needed(source, lex.Mentioned(source, l.lacks()))) == 0 {
			return l, nil
		}
	}
	return openLibrary(OpenOptions{Dialects: needed(source, DialectsOf(source))})
}

// needed returns those of the dialects in a module that a library must have.
func needed(source []byte, dialects []string) []string {
	return slices.DeleteFunc(dialects, func(d string) bool {
		return d == shardyform.Dialect || d == checkform.Dialect && checkform.In(source) != nil
	})
}

// known returns the dialects of a library whose file is known, or nil.
func (l *Library) known() []string {
	if l.torch && l.version != "" {
		return dialectsIn(native.MLIR)
	}
	return nil
}

// onlyOthers returns the dialects that other known libraries have, and not l, whose dialects are
// known.
func (l *Library) onlyOthers() (dialects []string) {
	own := l.known()
	for _, other := range dialectsOf {
		for _, d := range other.dialects {
			if !slices.Contains(own, d) && !slices.Contains(dialects, d) {
				dialects = append(dialects, d)
			}
		}
	}
	return dialects
}

func openPart(part native.Part, dialects []string) (*Library, error) {
	found, err := native.Find(part)
	if err != nil {
		return nil, fmt.Errorf("mlir: %w", err)
	}
	return open(found, dialects)
}

func open(at native.Location, dialects []string) (*Library, error) {
	l, err := load(at)
	if err != nil {
		return nil, err
	}
	for _, d := range chosenBy(dialects) {
		if !l.HasDialect(d) {
			return nil, fmt.Errorf("mlir: %s lacks the dialect %s: %s", l.path, d, has("the dialect", partsWith(d)...))
		}
	}
	return l, nil
}

func load(at native.Location) (*Library, error) {
	if l, ok := opened.Load(at); ok {
		return l.(*Library), nil
	}
	path := at.Path
	api, err := capi.Open(path)
	if path == "" {
		path = "the process itself"
	}
	if _, ok := errors.AsType[*dl.MachineError](err); ok {
		return nil, fmt.Errorf("mlir: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("mlir: %w: use the path of a shared library that exports the MLIR C API, or no path for the default library", err)
	}
	l := &Library{api: api, path: path, version: at.Version, torch: api.Torch()}
	l.lacks = sync.OnceValue(l.onlyOthers)
	for _, name := range required {
		if !api.Has(name) {
			return nil, fmt.Errorf("%w: %s", &UnsupportedError{Library: path, Function: name}, incomplete(api, path))
		}
	}
	first, _ := opened.LoadOrStore(at, l)
	return first.(*Library), nil
}

// incomplete says what a library without a required function is, and how to go on.
func incomplete(api *capi.Table, path string) string {
	fetch := fmt.Sprintf("the %s has a C API: `%s %s` fetches it", native.LLVM, version.Fetch,
		string(native.LLVM))
	switch {
	case api.Has("mlirContextDestroy"):
		return "it has a C API of a release before LLVM 19, the oldest that can be used; " + fetch
	case strings.HasPrefix(filepath.Base(path), "libMLIR.so"):
		link := strings.TrimSuffix(version.Fetch, "-fetch") + "-llvm DIR"
		return "it has only MLIR's C++ functions; a build of LLVM with MLIR_BUILD_MLIR_C_DYLIB=ON has libMLIR-C.so beside it, `" + link +
			"` makes one of the static libraries in the LLVM's folder, and " + fetch
	}
	return "it is not an MLIR library with a C API; " + fetch
}

// Version returns the project and release of a library that was fetched, such as
// "torch-mlir 20261001", and "" if the library was found by its path.
func (l *Library) Version() string { return l.version }

// HasDialect reports whether the library has a dialect, such as "stablehlo".
func (l *Library) HasDialect(namespace string) bool {
	if slices.Contains(l.known(), namespace) {
		return true
	}
	if has, ok := l.has.Load(namespace); ok {
		return has.(bool)
	}
	c := l.NewContext(ContextOptions{})
	defer c.Close()
	has := c.LoadDialect(namespace) == nil
	l.has.Store(namespace, has)
	return has
}

// other returns the part whose library has these dialects, if l lacks one of them, or "" if l
// has them or no known library does.
func (l *Library) other(dialects []string) native.Part {
	needed := chosenBy(dialects)
	if !slices.ContainsFunc(needed, func(d string) bool { return !l.HasDialect(d) }) {
		return ""
	}
	for _, candidate := range dialectsOf {
		if !slices.ContainsFunc(needed, func(d string) bool { return !slices.Contains(candidate.dialects, d) }) {
			return candidate.part
		}
	}
	return ""
}

// chosenBy returns the dialects that decide which library is opened: the known ones, except
// vhlo, which each library that reads portable artifacts loads for that.
func chosenBy(dialects []string) []string {
	return slices.DeleteFunc(slices.Clone(dialects), func(d string) bool {
		return d == "vhlo" || d == shardyform.Dialect || partsWith(d) == nil
	})
}

// Path returns the path of the file that the library was loaded from.
func (l *Library) Path() string { return l.path }

// Has reports whether the library exports a function of the C API, for example
// "stablehloOutputOperandAliasGet".
func (l *Library) Has(function string) bool { return l.api.Has(function) }

// Functions returns the names of the bound C functions that the library exports, sorted.
func (l *Library) Functions() []string {
	var names []string
	for name, has := range l.api.Names() {
		if has {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// need returns an UnsupportedError for the first function that the library lacks, or nil.
func (l *Library) need(functions ...string) error {
	for _, f := range functions {
		if !l.api.Has(f) {
			return &UnsupportedError{Library: l.path, Function: f, hint: l.api.Refused(f)}
		}
	}
	return nil
}
