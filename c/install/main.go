// Install builds libcalliope and mlir-lint, and writes them with the headers and the files of pkg-config,
// CMake and Bazel below a folder:
//
//	go run ./c/install -prefix DIR
//
// DIR then has lib/libcalliope.so, lib/libcalliope.a, bin/mlir-lint, the headers in include,
// lib/pkgconfig/calliope.pc, lib/cmake/Calliope and the licences. A program is built with
//
//	cc host.c $(PKG_CONFIG_PATH=DIR/lib/pkgconfig pkg-config --cflags --libs calliope)
//
// or with find_package(Calliope) and the targets Calliope::calliope and Calliope::calliope_static, or with
// DIR/BUILD.bazel. In the archive only the functions of the header are global names, but on macOS.
// The files do not contain DIR, so the folder may be moved.
//
// On macOS the library is lib/libcalliope.dylib, on Windows bin/libcalliope.dll with lib/libcalliope.dll.a.
// To build for another system, build this program first, and start it in the checkout with GOOS, GOARCH and
// CC set.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/calliope-mlir/calliope/c/include"
	"github.com/calliope-mlir/calliope/internal/host/program"
	"github.com/calliope-mlir/calliope/internal/host/version"
)

func main() {
	log.SetFlags(0)
	prefix := flag.String("prefix", "", "the `folder` to install to")
	strip := flag.Bool("strip", false, "leave out symbols and debug information")
	flag.Parse()
	if *prefix == "" || flag.NArg() > 0 {
		log.Fatal("usage: go run ./c/install -prefix DIR [-strip]")
	}
	if err := install(*prefix, *strip); err != nil {
		log.Fatal(err)
	}
}

const module = "github.com/calliope-mlir/calliope"

// install builds and writes everything below a folder.
func install(prefix string, strip bool) error {
	prefix, err := filepath.Abs(prefix)
	if err != nil {
		return err
	}
	goos := cmp.Or(os.Getenv("GOOS"), runtime.GOOS)
	l, ok := layouts[goos]
	if !ok {
		return fmt.Errorf("there is no libcalliope for %s", goos)
	}
	if err := l.build(prefix, strip); err != nil {
		return err
	}
	root, err := program.Command(context.Background(), ".", "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("go list -m %s: %w", module, err)
	}
	files := map[string]string{
		"lib/pkgconfig/calliope.pc":                      pkgConfig,
		"lib/cmake/Calliope/CalliopeConfig.cmake":        cmakeConfig,
		"lib/cmake/Calliope/CalliopeConfigVersion.cmake": cmakeVersion,
	}
	if goos != "windows" { // where Bazel has no import for libraries of mingw-w64
		files["BUILD.bazel"], files["WORKSPACE"] = bazelBuild, ""
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), name))
		if err != nil {
			return err
		}
		files["share/doc/calliope/"+name] = string(text)
	}
	headers, err := include.Headers.ReadDir(".")
	if err != nil {
		return err
	}
	for _, f := range headers {
		text, err := include.Headers.ReadFile(f.Name())
		if err != nil {
			return err
		}
		files["include/"+f.Name()] = string(text)
	}
	replace := strings.NewReplacer("@VERSION@", version.Version, "@SHARED@", l.shared, "@IMPORTED@", l.imported)
	for path, text := range files {
		if err := write(filepath.Join(prefix, filepath.FromSlash(path)), replace.Replace(text)); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file, and the folder that it is in.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// A layout says where the shared library of a system is. It has the major version in its name, by which programs ask
// for it. All paths are below the prefix.
type layout struct {
	shared   string // the library
	link     string // of the linker, a symbolic link to it
	imported string // of the linker for CMake, a property of the target
	flags    string // for the linker
	program  string // the end of the names of programs
	private  bool   // whether localize can change the archive
}

var layouts = map[string]layout{
	"linux": {shared: "lib/libcalliope.so.0", link: "lib/libcalliope.so", imported: "IMPORTED_SONAME libcalliope.so.0",
		flags: "-Wl,-soname,libcalliope.so.0", private: true},
	"darwin": {shared: "lib/libcalliope.0.dylib", link: "lib/libcalliope.dylib",
		imported: "IMPORTED_SONAME @rpath/libcalliope.0.dylib", flags: "-Wl,-install_name,@rpath/libcalliope.0.dylib"},
	"windows": {shared: "bin/libcalliope.dll",
		imported: `IMPORTED_IMPLIB "${_calliope_prefix}/lib/libcalliope.dll.a"`,
		flags:    "-Wl,--out-implib,@PREFIX@/lib/libcalliope.dll.a", program: ".exe", private: true},
}

// build builds the libraries and the programs.
func (l layout) build(prefix string, strip bool) error {
	if err := os.MkdirAll(filepath.Join(prefix, "lib"), 0o755); err != nil {
		return err
	}
	general := ""
	if strip {
		general = version.LinkFlags + " "
	}
	shared := "-extldflags=" + strings.ReplaceAll(l.flags, "@PREFIX@", filepath.ToSlash(prefix))
	for _, b := range []struct{ path, mode, pkg, flags string }{
		{l.shared, "c-shared", "c/shared", shared},
		{"lib/libcalliope.a", "c-archive", "c/shared", ""},
		{"bin/mlir-lint" + l.program, "exe", "tools/mlir-lint", ""},
	} {
		cmd := program.Command(context.Background(), ".", "go", "build", "-buildmode="+b.mode,
			"-trimpath", "-ldflags="+general+b.flags, "-o", filepath.Join(prefix, filepath.FromSlash(b.path)),
			module+"/"+b.pkg)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: run it in a folder of the module %s, or of one that requires it\n%s", cmd, err,
				module, out)
		}
		// cgo writes a header beside each library, of the Go functions that the C functions call.
		header := strings.TrimSuffix(b.path, filepath.Ext(b.path)) + ".h"
		if err := os.Remove(filepath.Join(prefix, header)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if l.private {
		if err := localize(filepath.Join(prefix, "lib", "libcalliope.a"), strip); err != nil {
			return err
		}
	}
	if l.link == "" {
		return nil
	}
	link := filepath.Join(prefix, filepath.FromSlash(l.link))
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(filepath.Base(l.shared), link)
}
