// Opgen writes the operations and attributes of the StableHLO and CHLO dialects as Go
// types:
//
//	stablehlo/gen_*.go, stablehlo/chlo/gen_*.go
//
// It reads tables of facts, tools/opgen/facts/*.txt. The tables of operations hold the
// names and kinds of their operands, attributes, regions and results. They are made from
// the Python bindings in the wheel of the pinned MLIR library. The library itself reports
// which operations infer their result types. The tables of attributes,
// *_attributes.txt, hold enumerations and structures of integers. They are written by
// hand, and a test checks them against the library.
//
// Usage:
//
//	go run ./tools/opgen [-out DIR]
//	go run ./tools/opgen -extract WHEEL_OR_DIR [-out DIR]
//	go run ./tools/opgen -upstream DIR [-out DIR]
//
// The first form writes the Go code from the tables. The second form makes the tables of
// operations from a wheel of jaxlib, or from a folder that one was unpacked into. The third
// form makes those of upstream dialects, tools/opgen/facts/upstream/*.txt, from the
// definitions in Debian's packages of LLVM 22, which it fetches on linux/amd64, and from the
// Python bindings in a folder with the wheels of torch-mlir, iree-base-compiler and jaxlib, of
// the versions that package native has.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/calliope-mlir/calliope/tools/opgen/upstream"
)

func main() {
	from := flag.String("extract", "", "wheel, or folder that one was unpacked into, to make the tables of facts from")
	wheels := flag.String("upstream", "", "folder with wheels, to make the tables of facts of upstream dialects from them and the definitions of LLVM 22")
	out := flag.String("out", ".", "root of the repository to write to")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "opgen: %q is not a flag: opgen -h lists the flags\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*from, *wheels, *out); err != nil {
		fmt.Fprintln(os.Stderr, "opgen:", err)
		os.Exit(1)
	}
}

func run(from, wheels, root string) error {
	files, err := map[string][]byte(nil), error(nil)
	switch {
	case from != "":
		files, err = extract(from)
	case wheels != "":
		files, err = upstream.Extract(context.Background(), wheels)
	default:
		files, err = generate(root)
	}
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// dialects lists the dialects that have tables.
var dialects = []string{"stablehlo", "chlo"}

// tableFile returns the name of the table of a dialect's operations below the repository's
// root. attributeFile returns that of its attributes.
func tableFile(dialect string) string     { return "tools/opgen/facts/" + dialect + ".txt" }
func attributeFile(dialect string) string { return "tools/opgen/facts/" + dialect + "_attributes.txt" }
