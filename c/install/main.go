// Install builds libcalliope and mlir-lint, and writes them with the headers and the files of pkg-config and
// CMake below a folder:
//
//	go run ./c/install -prefix DIR
//
// DIR then has lib/libcalliope.so, lib/libcalliope.a, bin/mlir-lint, the headers in include,
// lib/pkgconfig/calliope.pc and lib/cmake/Calliope. A program is built with
//
//	cc host.c $(PKG_CONFIG_PATH=DIR/lib/pkgconfig pkg-config --cflags --libs calliope)
//
// or with find_package(Calliope) and the targets Calliope::calliope and Calliope::calliope_static.
// The files do not contain DIR, so the folder may be moved.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/c/include"
)

func main() {
	log.SetFlags(0)
	prefix := flag.String("prefix", "", "the folder to install to")
	flag.Parse()
	if *prefix == "" || flag.NArg() > 0 {
		log.Fatal("usage: go run ./c/install -prefix DIR")
	}
	if err := install(*prefix); err != nil {
		log.Fatal(err)
	}
}

const module = "github.com/calliope-mlir/calliope"

// install builds and writes everything below a folder.
func install(prefix string) error {
	prefix, err := filepath.Abs(prefix)
	if err != nil {
		return err
	}
	header, err := include.Headers.ReadFile("calliope.h")
	if err != nil {
		return err
	}
	version, err := versionOf(header)
	if err != nil {
		return err
	}
	for _, b := range []struct{ path, mode, pkg string }{
		{"lib/libcalliope.so", "c-shared", "c/shared"},
		{"lib/libcalliope.a", "c-archive", "c/shared"},
		{"bin/mlir-lint", "exe", "tools/mlir-lint"},
	} {
		cmd := exec.Command("go", "build", "-buildmode="+b.mode, "-o",
			filepath.Join(prefix, filepath.FromSlash(b.path)), module+"/"+b.pkg)
		if b.mode == "c-shared" {
			// Programs that are linked with the library ask for it by this name.
			cmd.Args = append(cmd.Args[:2],
				append([]string{"-ldflags=-extldflags=-Wl,-soname,libcalliope.so"}, cmd.Args[2:]...)...)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: run it in a folder of the module %s, or of one that requires it\n%s", cmd, err,
				module, out)
		}
	}
	// cgo writes a header beside each library, of the Go functions that the C functions call.
	if err := os.Remove(filepath.Join(prefix, "lib", "libcalliope.h")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := copyHeaders(filepath.Join(prefix, "include")); err != nil {
		return err
	}
	for path, text := range map[string]string{
		"lib/pkgconfig/calliope.pc":                      pkgConfig,
		"lib/cmake/Calliope/CalliopeConfig.cmake":        cmakeConfig,
		"lib/cmake/Calliope/CalliopeConfigVersion.cmake": cmakeVersion,
	} {
		path = filepath.Join(prefix, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "@VERSION@", version)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// copyHeaders writes the headers to a folder, in place of those that are there.
func copyHeaders(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files, err := include.Headers.ReadDir(".")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := include.Headers.ReadFile(f.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

var versionPart = regexp.MustCompile(`(?m)^#define CALLIOPE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$`)

// versionOf returns the version in the header, such as 0.1.0.
func versionOf(header []byte) (string, error) {
	var parts []string
	for _, m := range versionPart.FindAllSubmatch(header, -1) {
		parts = append(parts, string(m[1]))
	}
	if len(parts) != 3 {
		return "", fmt.Errorf("the header has %d of the three parts of the version", len(parts))
	}
	return strings.Join(parts, "."), nil
}
