package embed

/*
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/host/program"
)

//export calliopeLint
func calliopeLint(
	module unsafe.Pointer, size C.size_t, name, format, options *C.char, report **C.char, findings *C.int32_t,
) C.calliope_status {
	const what = "calliope_lint"
	return protect(func() error {
		if report == nil {
			return invalid("%s: report is NULL", what)
		}
		var flags []string
		if f := text(format); f != "" {
			flags = append(flags, "-format="+f)
		}
		return lint(what, module, size, text(name), append(flags, flagsOf(options)...),
			func(out []byte, _ string, status int) error {
				store(unsafe.Pointer(report), give(out))
				if findings != nil {
					*findings = C.int32_t(min(status, 1))
				}
				return nil
			})
	})
}

//export calliopeFix
func calliopeFix(
	module unsafe.Pointer, size C.size_t, options *C.char, fixed *unsafe.Pointer, fixedSize *C.size_t,
) C.calliope_status {
	const what = "calliope_fix"
	return protect(func() error {
		if fixed == nil || fixedSize == nil {
			return invalid("%s: fixed or fixed_size is NULL", what)
		}
		flags := append([]string{"-fix"}, flagsOf(options)...)
		return lint(what, module, size, "", flags, func(out []byte, file string, status int) error {
			if status != 0 {
				return &statusError{C.CALLIOPE_FAILED_PRECONDITION,
					fmt.Errorf("calliope: %s: not all can be repaired: %s", what, bytes.TrimSpace(out))}
			}
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			store(unsafe.Pointer(fixed), give(data))
			*fixedSize = C.size_t(len(data))
			return nil
		})
	})
}

// flagsOf returns the flags in the lines of a text.
func flagsOf(options *C.char) []string {
	return slices.DeleteFunc(strings.Split(text(options), "\n"), func(line string) bool { return line == "" })
}

// lint runs mlir-lint on a module, in a folder of its own, where no configuration is found. It calls use with
// what mlir-lint writes, the module's file and the exit status.
func lint(
	what string, module unsafe.Pointer, size C.size_t, name string, flags []string,
	use func(out []byte, file string, status int) error,
) error {
	if module == nil {
		return invalid("%s: the module is NULL", what)
	}
	if size > math.MaxInt {
		return invalid("%s: the size of the module is %d", what, size)
	}
	if name == "" {
		name = "module"
	}
	if !filepath.IsLocal(name) || filepath.ToSlash(filepath.Clean(name)) != name || name == "." || name[0] == '-' ||
		!utf8.ValidString(name) {
		return invalid("%s: the name %q is no relative path of a file", what, name)
	}
	if i := slices.IndexFunc(flags, func(f string) bool { return !strings.HasPrefix(f, "-") || f == "-" }); i >= 0 {
		return invalid("%s: the option %q is no flag of mlir-lint", what, flags[i])
	}
	path, err := findLint()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "calliope-lint-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(file, unsafe.Slice((*byte)(module), size), 0o600); err != nil {
		return err
	}
	var stdout, stderr bytes.Buffer
	cmd := program.Command(context.Background(), folder, path, append(flags, filepath.FromSlash(name))...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if errors.Is(err, syscall.ECHILD) {
		return &statusError{C.CALLIOPE_FAILED_PRECONDITION, fmt.Errorf("calliope: %s: the exit status of mlir-lint is lost, because the program ignores SIGCHLD, or waits for children that it has not started", what)}
	}
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("calliope: %s: running %s: %w", what, path, err)
	}
	status := cmd.ProcessState.ExitCode()
	if status < 0 || status != 0 && stdout.Len() == 0 {
		return invalid("%s: mlir-lint: %v: %s", what, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return use(stdout.Bytes(), file, status)
}

const lintVariable = "CALLIOPE_MLIR_LINT"

// findLint returns the path of the program mlir-lint.
func findLint() (string, error) {
	// Go's copy of the environment lacks what the host has set since the library was loaded.
	variable := C.CString(lintVariable)
	defer C.free(unsafe.Pointer(variable))
	if path := C.getenv(variable); path != nil && *path != 0 {
		return C.GoString(path), nil
	}
	if library := C.calliope_shared_path(); library != nil {
		folder := filepath.Dir(C.GoString(library))
		for _, path := range []string{filepath.Join(folder, "mlir-lint"),
			filepath.Join(folder, "..", "bin", "mlir-lint")} {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path, nil
			}
		}
	}
	path, err := program.Find("mlir-lint")
	if err != nil {
		return "", &statusError{C.CALLIOPE_NOT_FOUND, fmt.Errorf("calliope: there is no mlir-lint beside the library nor in PATH: build it by \"go build ./tools/mlir-lint\", and set the environment variable %s to its path", lintVariable)}
	}
	return path, nil
}
