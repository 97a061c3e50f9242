// Command wheel makes Python wheels, as pip, pipx, uv and pre-commit install them:
//
//	go run ./tools/wheel [-version VERSION] [-o DIR] [PACKAGE]
//
// The package mlir-lint, which is the default, has the command and no Python. The package calliope-mlir has
// libcalliope and the module calliope_mlir, by which JAX programs use it. The package calliope-jax has the PJRT plugin,
// and registers it with JAX.
//
// It builds for $GOOS and $GOARCH with cgo and the C compiler $CC, and prints the name of the file. Its bytes depend
// only on the sources, the version and the compilers.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/version"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("wheel: ")
	release := flag.String("version", version.Version+".dev0", "the `version` of the wheel, as Python writes it")
	dir := flag.String("o", ".", "the `folder` of the wheel")
	flag.Parse()
	name := "mlir-lint"
	if flag.NArg() > 0 {
		name = flag.Arg(0)
	}
	p, ok := packages[name]
	if !ok || flag.NArg() > 1 {
		log.Fatalf("name one package, mlir-lint, calliope-mlir or calliope-jax, after the flags (-h prints them), not %q",
			flag.Args())
	}
	path, err := p.write(*dir, *release)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(path)
}

// A pkg is what a wheel is made of.
type pkg struct {
	distribution string // the name in Python's index
	metadata     string // what METADATA says of it, after the version
	source, mode string // what the go command builds, and how
	library      string // its name without an ending, "" for a command
	python       string // a folder with modules, "" for none
	entries      string // the entry points, "" for none
}

var packages = map[string]pkg{
	"mlir-lint": {"mlir-lint", lintMetadata, "./tools/mlir-lint", "exe", "", "", ""},
	"calliope-mlir": {"calliope-mlir", libraryMetadata, "./c/shared", "c-shared", "libcalliope",
		"c/python/calliope_mlir", ""},
	"calliope-jax": {"calliope-jax", jaxMetadata, "./c/plugin", "c-shared", "libcalliope_pjrt",
		"c/python/calliope_jax", "[jax_plugins]\ncalliope = calliope_jax\n"},
}

// versions matches the versions that need no other spelling in the name of a wheel.
var versions = regexp.MustCompile(`^\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?$`)

// write builds what is in the wheel, and writes it.
func (p pkg) write(dir, release string) (path string, err error) {
	if !versions.MatchString(release) {
		return "", fmt.Errorf("-version %q: write a version of Python, such as 1.2.3, 1.2.3rc1 or 1.2.3.dev4", release)
	}
	work, err := os.MkdirTemp("", "calliope-wheel")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	built := filepath.Join(work, p.file(cmp.Or(os.Getenv("GOOS"), runtime.GOOS)))
	if err := p.build(built); err != nil {
		return "", err
	}
	tag, err := platformOf(built)
	if err != nil {
		return "", err
	}
	w := wheel{name: strings.ReplaceAll(p.distribution, "-", "_"), metadata: p.metadata, version: release,
		tag: "py3-none-" + tag}
	folder, mode := w.folder("data/scripts/"), os.FileMode(0o755)
	if p.python != "" {
		folder, mode = w.name+"/", 0o644
		if err := w.addModules(p.python); err != nil {
			return "", err
		}
	}
	if err := w.addFile(folder+filepath.Base(built), built, mode); err != nil {
		return "", err
	}
	if p.entries != "" {
		w.add(w.folder("dist-info/entry_points.txt"), []byte(p.entries), 0o644)
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		if err := w.addFile(w.folder("dist-info/licenses/")+name, name, 0o644); err != nil {
			return "", err
		}
	}
	return w.write(dir)
}

// file returns the name of what is built for a system.
func (p pkg) file(goos string) string {
	switch {
	case p.library != "":
		return p.library + cmp.Or(map[string]string{"windows": ".dll", "darwin": ".dylib"}[goos], ".so")
	case goos == "windows":
		return "mlir-lint.exe"
	}
	return "mlir-lint"
}

// names has the linker's flags for the name of the library on a system, the one that c/install gives it: what asks for
// that name in a process with this library gets it, and no second one. Windows knows it by its file.
var names = map[string]string{
	"linux":  " -extldflags=-Wl,-soname,libcalliope.so.0",
	"darwin": " -extldflags=-Wl,-install_name,@rpath/libcalliope.0.dylib",
}

// build builds the command or the library, without what depends on this machine and this folder.
func (p pkg) build(to string) error {
	flags := version.LinkFlags
	if p.library == "libcalliope" {
		flags += names[cmp.Or(os.Getenv("GOOS"), runtime.GOOS)]
	}
	cmd := exec.Command("go", "build", "-buildmode="+p.mode, "-trimpath", "-buildvcs=false",
		"-ldflags="+flags, "-o", to, p.source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build in the root of the checkout: %w", err)
	}
	return nil
}
