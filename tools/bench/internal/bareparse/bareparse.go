// Package bareparse builds a C program that parses and verifies MLIR files with the C API alone.
package bareparse

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed program/parse.c
var source []byte

// Build compiles the program into a folder, with the C compiler that the environment variable CC
// names, and returns its path. Its arguments are the path of an MLIR library, and files.
func Build(dir string) (string, error) {
	file, program := filepath.Join(dir, "parse.c"), filepath.Join(dir, "parse")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		return "", err
	}
	if out, err := exec.Command(cmp.Or(os.Getenv("CC"), "cc"), "-O2", "-o", program, file,
		"-ldl").CombinedOutput(); err != nil {
		return "", fmt.Errorf("a C compiler is needed: %w\n%s", err, out)
	}
	return program, nil
}
