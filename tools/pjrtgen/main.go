// Pjrtgen writes the types of XLA's PJRT C API as Go types, for package c/plugin, which implements the API:
//
//	go run ./tools/pjrtgen -header pjrt_c_api.h
//
// A header of a release is in the module of gopjrt or go-xla. The Go structs have the fields of those in C, with their
// sizes, which a test checks. Names lose the prefix PJRT. Pointers to what only the plugin looks into are handles,
// numbers that it gives out.
package main

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
)

func main() {
	header := flag.String("header", "", "path of pjrt_c_api.h")
	out := flag.String("out", "c/plugin/internal/abi", "folder to write gen_abi.go and gen_table.h to")
	flag.Parse()
	if err := run(*header, *out); err != nil {
		fmt.Fprintln(os.Stderr, "pjrtgen:", err)
		os.Exit(1)
	}
}

func run(header, out string) error {
	files, err := generate(header)
	for name, data := range files {
		if err = os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			break
		}
	}
	return err
}

// generate returns the files that it writes.
func generate(header string) (map[string][]byte, error) {
	a, err := parse(header)
	if err != nil {
		return nil, err
	}
	types, err := format.Source(a.types())
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"gen_abi.go": types, "gen_table.h": a.functions()}, nil
}
