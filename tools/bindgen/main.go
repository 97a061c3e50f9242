// Bindgen reads the headers of the MLIR C API, and our own declarations of the
// StableHLO and CHLO one, and writes what is needed to call them through a table
// of function pointers that is filled from any one library at run time:
//
//	c/gen_mlir_api.h           types, and the table as a struct
//	c/gen_mlir_names.h         the names in the table's order, for dlsym
//	internal/capi/gen_types.go the types in Go
//	internal/capi/gen_calls.go one Go function for each C function
//
// Usage:
//
//	go run ./tools/bindgen [-headers DIR] [-out DIR]
//
// Without -headers the pinned Debian package is fetched into the cache.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("headers", "", "folder that holds mlir-c/ (default: the pinned Debian package, fetched)")
	out := flag.String("out", ".", "root of the repository to write to")
	flag.Parse()
	if err := run(*dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bindgen:", err)
		os.Exit(1)
	}
}

func run(dir, out string) error {
	if dir == "" {
		fetched, err := fetchHeaders()
		if err != nil {
			return err
		}
		dir = fetched
	}
	api, err := parse(dir, headers, filepath.Join(out, "c", "stablehlo_decls.h"))
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"c/gen_mlir_api.h":   cHeader(api),
		"c/gen_mlir_names.h": cNames(api),
	}
	for name, source := range map[string]string{
		"internal/capi/gen_types.go": goTypes(api),
		"internal/capi/gen_calls.go": goCalls(api),
	} {
		formatted, err := formatGo(name, source)
		if err != nil {
			return err
		}
		files[name] = formatted
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(out, filepath.FromSlash(name)), data, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("bindgen: %d functions, %d types\n", len(api.functions), len(api.types))
	return nil
}
