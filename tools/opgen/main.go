// Opgen writes the operations of dialects as Go types, and the attributes of StableHLO and CHLO:
//
//	mlir/dialect/*/gen_*.go, stablehlo/gen_*.go, stablehlo/chlo/gen_*.go
//
// It reads tables of facts, tools/opgen/facts/*.txt, which hold the names and kinds of the
// operations' operands, attributes, regions and results. The tables of attributes,
// tools/opgen/attributes/*.txt, hold enumerations and structures of integers. They are written by
// hand, and a test checks them against the library.
//
// Usage:
//
//	go run ./tools/opgen [-out DIR]
//	go run ./tools/opgen -extract DIR [-out DIR]
//
// The first form writes the Go code from the tables. The second form makes the tables of facts
// from the definitions in Debian's packages of LLVM 22, which it fetches on linux/amd64, and from
// the Python bindings in a folder with the wheels of torch-mlir, iree-base-compiler and jaxlib, of
// the versions that package native has, also that of its CUDA plugin. The libraries themselves report which operations
// infer their result types.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	from := flag.String("extract", "",
		"folder with wheels, to make the tables of facts from them and the definitions of LLVM 22")
	out := flag.String("out", ".", "root of the repository to write to")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "opgen: %q is not a flag: opgen -h lists the flags\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*from, *out); err != nil {
		fmt.Fprintln(os.Stderr, "opgen:", err)
		os.Exit(1)
	}
}

func run(from, root string) error {
	files, err := map[string][]byte(nil), error(nil)
	if from != "" {
		files, err = extract(context.Background(), from)
	} else {
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
