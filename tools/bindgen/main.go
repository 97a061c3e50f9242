// Bindgen reads the headers of the MLIR C API, the declarations of the StableHLO and CHLO one
// in tools/bindgen/stablehlo, and those of functions after LLVM 22 in tools/bindgen/llvm23 and llvm24, and
// writes what is needed to call these functions
// through a table of function pointers, which is filled from any one library at run time:
//
//	experimental/capi/gen_mlir_api.h    types, and the table as a struct
//	experimental/capi/gen_mlir_names.h  the names in the table's order, for dlsym
//	experimental/capi/gen_types.go      the types in Go
//	experimental/capi/gen_prototypes.go one cgo call for each prototype
//	experimental/capi/gen_*.go          one file for each header, with a Go function for each C function
//	experimental/capi/gen_easy_test.go  the functions of each header that a test calls
//	docs/reference/capi-coverage.md     what is bound, and what mlir and stablehlo wrap
//
// It removes files experimental/capi/gen_* that it does not write.
//
// Usage:
//
//	go run ./tools/bindgen [-llvm19 DIR] [-llvm22 DIR] [-out DIR]
//
// It reads two releases of the headers, so that a function whose prototype changed is never
// called by its name alone. Prototypes that changed after the newer release are listed in
// changed.go. Without a folder, it fetches Debian's package into the cache. Debian 12 has no
// later release: TestDeclared holds llvm23 and llvm24 against the headers of these.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	older := flag.String("llvm19", "", "folder that holds mlir-c/ of LLVM 19 (default: Debian's package, fetched)")
	newer := flag.String("llvm22", "",
		"folder that holds mlir-c/ and llvm-c/ of LLVM 22 (default: Debian's packages, fetched)")
	out := flag.String("out", ".", "root of the repository to write to")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "bindgen: unexpected argument %q: run bindgen -h for the flags\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*older, *newer, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bindgen:", err)
		os.Exit(1)
	}
}

func run(older, newer, out string) error {
	files, err := outputs(older, newer, out)
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(out, filepath.FromSlash(name)), data, 0o644); err != nil {
			return err
		}
	}
	old, err := stale(out, files)
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// capi is the folder of the generated code.
const capi = "experimental/capi/"

// stale returns the generated files in root/experimental/capi that are not in files: those of
// headers that no release has any longer.
func stale(root string, files map[string][]byte) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(capi), "gen_*"))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		_, ok := files[capi+filepath.Base(path)]
		return ok
	}), nil
}

// ownDeclarations returns the declarations that were written here.
func ownDeclarations(root string) []declarations {
	here := filepath.Join(root, "tools", "bindgen")
	return []declarations{
		{dir: filepath.Join(here, "stablehlo"), headers: stablehloHeaders},
		{filepath.Join(here, "llvm23"), "llvm23/", 23},
		{filepath.Join(here, "llvm24"), "llvm24/", lastRelease},
	}
}

// outputs returns the files to write, by their names below the root of the repository.
func outputs(older, newer, root string) (map[string][]byte, error) {
	own := ownDeclarations(root)
	for _, d := range own {
		if _, err := os.Stat(d.dir); err != nil { // before anything is fetched
			return nil, fmt.Errorf("%w: run bindgen in the root of the repository, or set -out to it", err)
		}
	}
	for _, h := range []struct {
		release int
		dir     *string
	}{{oldestRelease, &older}, {newestRelease, &newer}} {
		if *h.dir == "" {
			fetched, err := fetchHeaders(context.Background(), h.release)
			if err != nil {
				return nil, err
			}
			*h.dir = fetched
		}
	}
	api, err := read(older, newer, own)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		capi + "gen_mlir_api.h":   cHeader(api),
		capi + "gen_mlir_names.h": cNames(api),
	}
	sources, err := goCalls(api)
	if err != nil {
		return nil, err
	}
	sources["gen_types.go"] = goTypes(api)
	sources["gen_easy_test.go"] = easySource(api)
	for name, source := range sources {
		if files[capi+name], err = formatGo(name, source); err != nil {
			return nil, err
		}
	}
	if files["docs/reference/capi-coverage.md"], err = coverage(api, root); err != nil {
		return nil, err
	}
	return files, nil
}

// read parses both releases and our own declarations, and merges them.
func read(older, newer string, own []declarations) (*api, error) {
	// LLVM 22's packages have llvm-c/ too, which both releases of MLIR need.
	a, err := parse([]string{newer}, own...)
	if err != nil {
		return nil, err
	}
	b, err := parse([]string{older, newer})
	if err != nil {
		return nil, err
	}
	if err := checkChanged(b, a); err != nil {
		return nil, err
	}
	merged := merge(release{oldestRelease, b}, release{newestRelease, a})
	return merged, checkSame(merged)
}
