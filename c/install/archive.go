package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/c/include"
	"github.com/calliope-mlir/calliope/internal/host/program"
)

var declared = regexp.MustCompile(`(?m)^CALLIOPE_API [^(]*?(\w+)\(`)

// localize leaves only the functions of the header as global symbols of an archive, so that a program can be linked
// with it and with another archive in Go. It uses the linker, objcopy and ar of the C compiler, which are GNU's on
// Linux and Windows.
func localize(archive string, strip bool) error {
	header, err := include.Headers.ReadFile("calliope.h")
	if err != nil {
		return err
	}
	var keep strings.Builder
	for _, m := range declared.FindAllSubmatch(header, -1) {
		keep.Write(append(m[1], '\n'))
	}
	work, err := os.MkdirTemp("", "calliope-archive")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	names, object := filepath.Join(work, "names"), filepath.Join(work, "calliope.o")
	if err := os.WriteFile(names, []byte(keep.String()), 0o600); err != nil {
		return err
	}
	cc, err := run("go", "env", "CC")
	if err != nil {
		return err
	}
	compile := func(args ...string) (string, error) {
		command := append(strings.Fields(cc), args...)
		return run(command[0], command[1:]...)
	}
	tool := func(name string, args ...string) error {
		path, err := compile("-print-prog-name=" + name)
		if err == nil {
			_, err = run(path, args...)
		}
		return err
	}
	_, err = compile("-r", "-nostdlib", "-Wl,-d,--whole-archive", archive, "-Wl,--no-whole-archive", "-o", object)
	if err != nil {
		return err
	}
	change := []string{"--keep-global-symbols=" + names, object}
	if strip {
		change = append(change, "--strip-unneeded")
	}
	if err := tool("objcopy", change...); err != nil {
		return err
	}
	if err := os.Remove(archive); err != nil { // ar would add to it
		return err
	}
	return tool("ar", "rcsD", archive, object)
}

// run runs a command, and returns what it prints.
func run(name string, args ...string) (string, error) {
	cmd := program.Command(context.Background(), ".", name, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}
