// Command wheel makes a Python wheel that installs mlir-lint, as pip, pipx, uv and pre-commit do:
//
//	go run ./tools/wheel [-version VERSION] [-o DIR]
//
// It builds the command for $GOOS and $GOARCH with cgo and the C compiler $CC, and prints the name of the file. The
// wheel has the command and no Python. Its bytes depend only on the sources, the version and the compilers.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"

	"github.com/calliope-mlir/calliope/internal/version"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("wheel: ")
	release := flag.String("version", version.Version+".dev0", "the `version` of the wheel, as Python writes it")
	dir := flag.String("o", ".", "the `folder` of the wheel")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("leave out %q: there are only flags (-h prints them)", flag.Arg(0))
	}
	path, err := write(*dir, *release)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(path)
}

// versions matches the versions that need no other spelling in the name of a wheel.
var versions = regexp.MustCompile(`^\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?$`)

// write builds the command and writes its wheel.
func write(dir, release string) (path string, err error) {
	if !versions.MatchString(release) {
		return "", fmt.Errorf("-version %q: write a version of Python, such as 1.2.3, 1.2.3rc1 or 1.2.3.dev4", release)
	}
	work, err := os.MkdirTemp("", "calliope-wheel")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	command := filepath.Join(work, "mlir-lint")
	if target("GOOS", runtime.GOOS) == "windows" {
		command += ".exe"
	}
	if err := build(command); err != nil {
		return "", err
	}
	tag, err := platformOf(command)
	if err != nil {
		return "", err
	}
	w := wheel{version: release, tag: "py3-none-" + tag}
	if err := w.addFile(w.folder("data/scripts/")+filepath.Base(command), command, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		if err := w.addFile(w.folder("dist-info/licenses/")+name, name, 0o644); err != nil {
			return "", err
		}
	}
	return w.write(dir)
}

// build builds the command, without what depends on this machine and this folder.
func build(to string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", to,
		"./tools/mlir-lint")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build in the root of the checkout: %w", err)
	}
	return nil
}

// target returns an environment variable of the go command, or what it is otherwise.
func target(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
