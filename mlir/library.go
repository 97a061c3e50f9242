package mlir

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/native"
)

// A Library is a shared library that exports the MLIR C API. It remains open until the
// process ends and may be used concurrently.
type Library struct {
	api     *capi.Table
	path    string
	torch   bool // it is torch-mlir's
	learned learned
}

// OpenOptions selects the library that Open loads.
type OpenOptions struct {
	// Path is the path of the shared library. If it is empty, Open searches for the
	// default library: $CALLIOPE_MLIR_LIBRARY, then the cache, then the system's folders.
	Path string
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

// Open loads an MLIR library. It never downloads one: if it finds none, the error is a
// native.NotFoundError with the command that fetches it. If the library lacks the core of
// the C API, the error is an UnsupportedError.
func Open(o OpenOptions) (*Library, error) {
	path := o.Path
	if path == "" {
		found, err := native.Find(native.MLIR)
		if err != nil {
			return nil, fmt.Errorf("mlir: %w", err)
		}
		path = found.Path
	}
	api, err := capi.Open(path)
	if err != nil {
		return nil, fmt.Errorf("mlir: %w: use the path of a shared library that exports the MLIR C API, or no path for the default library", err)
	}
	l := &Library{api: api, path: path, torch: api.Torch()}
	for _, name := range required {
		if !api.Has(name) {
			return nil, &UnsupportedError{Library: path, Function: name}
		}
	}
	return l, nil
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
			return &UnsupportedError{Library: l.path, Function: f}
		}
	}
	return nil
}
