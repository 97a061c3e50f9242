// Install builds libcalliope and mlir-lint, and writes them with the header and the files of pkg-config and
// CMake below a folder:
//
//	go run ./c/install -prefix DIR
//
// DIR then has lib/libcalliope.so, lib/libcalliope.a, bin/mlir-lint, include/calliope.h,
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
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("go list: %w: run it in a folder of the module %s, or of one that requires it", err, module)
	}
	header, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "c", "include", "calliope.h"))
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
		cmd := exec.Command("go", "build", "-buildmode="+b.mode, "-o", filepath.Join(prefix, filepath.FromSlash(b.path)), module+"/"+b.pkg)
		if b.mode == "c-shared" {
			// Programs that are linked with the library ask for it by this name.
			cmd.Args = append(cmd.Args[:2], append([]string{"-ldflags=-extldflags=-Wl,-soname,libcalliope.so"}, cmd.Args[2:]...)...)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", cmd, err, out)
		}
	}
	// cgo writes a header beside each library, of the Go functions that the C functions call.
	if err := os.Remove(filepath.Join(prefix, "lib", "libcalliope.h")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for path, text := range map[string]string{
		"include/calliope.h":                             string(header),
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
