package mlir

import (
	"debug/elf"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/native"
)

// A plugin is a shared library with dialects and passes in C++. It uses MLIR's C++ functions,
// so it works only with the library whose functions these are: it must need the same file of
// libMLIR as the C API, by the name that its build gave it, which has the release of LLVM.

var (
	dialectHandle = lazyregexp.New(`^mlirGetDialectHandle__(\w+)__$`)
	passRegistrar = lazyregexp.New(`^mlirRegister\w*Pass(es)?$`)
)

// addPlugin loads a plugin into the library.
func (l *Library) addPlugin(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("mlir: the plugin %s: %w", path, err)
	}
	handles, passes, err := l.inspect(path)
	if err != nil {
		return fmt.Errorf("mlir: the plugin %s %w", path, err)
	}
	l.api.RegisterPasses() // before those of the plugin, whose names must be new
	if err := l.api.AddPlugin(path, handles, passes); err != nil {
		return fmt.Errorf("mlir: the plugin %s: %w", path, err)
	}
	for _, handle := range handles {
		l.has.Delete(dialectHandle().FindStringSubmatch(handle)[1])
	}
	return nil
}

// inspect returns the functions of a plugin that return dialect handles and that register
// passes. It returns an error if the plugin is not for the MLIR of the library.
func (l *Library) inspect(path string) (handles, passes []string, err error) {
	own, err := neededMLIR(l.path)
	if err != nil || own == "" {
		return nil, nil, fmt.Errorf("cannot be used with %s, which hides the C++ functions of MLIR: dialects in C++ need a library that is linked with libMLIR.so, such as the %s, which `%s %s` fetches",
			l.path, native.LLVM, version.Fetch, string(native.LLVM))
	}
	f, err := elf.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot be read: %w", err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, nil, fmt.Errorf("cannot be read: %w", err)
	}
	needed, err := neededMLIR(path)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("cannot be read: %w", err)
	case needed == "" && slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
		return s.Section != elf.SHN_UNDEF && strings.HasPrefix(s.Name, "_ZN4mlir11MLIRContext")
	}):
		return nil, nil, errors.New("contains an MLIR of its own: link it with " + own + " instead")
	case needed == "":
		return nil, nil, errors.New("is not linked with an MLIR library: link it with " + own +
			", so that it can be found to be for this MLIR")
	case needed != own:
		return nil, nil, fmt.Errorf("was built for %s, and %s is %s: build it with the headers of that release, or open the library that it was built for", needed, l.path, own)
	}
	for _, s := range symbols {
		switch {
		case s.Section == elf.SHN_UNDEF || elf.ST_TYPE(s.Info) != elf.STT_FUNC:
		case dialectHandle().MatchString(s.Name):
			handles = append(handles, s.Name)
		case passRegistrar().MatchString(s.Name):
			passes = append(passes, s.Name)
		}
	}
	if len(handles)+len(passes) == 0 {
		return nil, nil, errors.New(`exports neither a function mlirGetDialectHandle__NAMESPACE__ nor one mlirRegisterNAMEPasses: define them with extern "C"`)
	}
	slices.Sort(handles)
	slices.Sort(passes)
	return handles, passes, nil
}

// neededMLIR returns the name of the libMLIR that a shared library is linked with, such as
// libMLIR.so.22.1, or "".
func neededMLIR(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	names, err := f.ImportedLibraries()
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if strings.HasPrefix(name, "libMLIR.so") {
			return name, nil
		}
	}
	return "", nil
}
