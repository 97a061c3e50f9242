package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/program"
	"github.com/calliope-mlir/calliope/internal/host/trust"
)

// assemble makes one shared library with the whole C API, at the slot's partial. Debian has
// that API only as static archives. They are linked with the shared libraries that they
// call, which stay in the work folder.
func assemble(ctx context.Context, s spec, b build, sl slot, from given, progress io.Writer) (record, error) {
	cache := filepath.Dir(sl.dir)
	h := packageSet{s.title, s.mb, s.env, b.debs}
	// Check this before the download, which would be useless otherwise.
	cxx, err := findCompiler(h)
	if err != nil {
		return record{}, err
	}
	if err := h.unpack(ctx, sl, sl.work, from, progress); err != nil {
		return record{}, err
	}
	archives, err := namesIn(sl.work, ".a")
	if err != nil {
		return record{}, cacheError(cache, err)
	}
	shared, err := namesIn(sl.work, ".so.")
	if err != nil {
		return record{}, cacheError(cache, err)
	}
	name := filepath.Base(sl.library)
	if err := h.link(ctx, cache, sl.work, cxx, name, archives, shared); err != nil {
		return record{}, err
	}
	if err := h.loadable(ctx, sl.work, name); err != nil {
		return record{}, err
	}
	var names []string
	for _, d := range b.debs {
		names = append(names, d.name+"="+d.version)
	}
	r := record{Wheel: strings.Join(names, " ")}
	for _, name := range shared {
		f, err := recordFile(sl.work, name)
		if err != nil {
			return record{}, cacheError(cache, err)
		}
		r.Beside = append(r.Beside, f)
	}
	f, err := recordFile(sl.work, name)
	if err == nil {
		r.SHA256, r.Size = f.SHA256, f.Size
		err = os.Rename(filepath.Join(sl.work, name), sl.partial)
	}
	if err != nil {
		return record{}, cacheError(cache, err)
	}
	return r, nil
}

// namesIn lists the regular files in dir whose names contain part.
func namesIn(dir, part string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.Contains(e.Name(), part) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// recordFile syncs a file to the disk, makes sure that other users may not write to it, and
// describes it.
func recordFile(dir, name string) (file, error) {
	path := filepath.Join(dir, name)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return file{}, err
	}
	info, err := f.Stat()
	if err == nil {
		err = f.Chmod(info.Mode().Perm() &^ trust.AnyoneWrites) // the linker uses the umask
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return file{}, err
	}
	sum, err := hashFile(path)
	return file{name, sum, info.Size()}, err
}

// compilers are the names of the C++ compiler, best first.
var compilers = []string{"c++", "g++", "clang++"}

// findCompiler returns the C++ compiler, which is used only to link: $CXX, with its
// arguments, or the first of compilers.
func findCompiler(h packageSet) ([]string, error) {
	if cxx := strings.Fields(os.Getenv("CXX")); len(cxx) > 0 {
		if _, err := program.Find(cxx[0]); err != nil {
			return nil, fmt.Errorf("native: making the %s needs a C++ compiler, but $CXX names one that cannot be started (%w): correct or unset CXX%s", h.what, err, h.instead())
		}
		return cxx, nil
	}
	for _, name := range compilers {
		if _, err := program.Find(name); err == nil {
			return []string{name}, nil
		}
	}
	return nil, fmt.Errorf("native: making the %s needs a C++ compiler, but none of %s is on PATH: install one (the package g++)%s", h.what, strings.Join(compilers, ", "), h.instead())
}

// link makes the shared library called name in dir from whole archives. At run time the
// library searches its own folder for the shared ones, so that the cache may be moved.
func (h packageSet) link(
	ctx context.Context, cache, dir string, cxx []string, name string, archives, shared []string,
) error {
	last := new(tail)
	cmd := command(ctx, dir, slices.Concat(cxx,
		[]string{"-shared", "-o", name, "-Wl,-soname," + name, "-Wl,-rpath,$ORIGIN", "-Wl,-z,defs", "-Wl,-s",
			"-Wl,--whole-archive"}, archives,
		[]string{"-Wl,--no-whole-archive", "-Wl,--no-as-needed"}, shared))
	cmd.Env = append(cmd.Env, "LC_ALL=C", "TMPDIR="+dir)
	cmd.Stdout, cmd.Stderr = last, last
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return stopped(ctx, h.what)
	case last.contains(noSpace):
		return diskFullError(cache, errors.New("the linker found no space left on it"))
	}
	return fmt.Errorf("native: `%s` cannot link the %s: try another C++ compiler by setting CXX%s; it said:\n%s",
		strings.Join(cxx, " "), h.what, h.instead(), last.text(err))
}

// packageOf maps a library that LLVM needs, and that a small system may lack, to its Debian
// package. These packages are not fetched: security updates replace them too often for a
// pin.
var packageOf = map[string]string{
	"libedit.so.2": "libedit2",
	"libffi.so.8":  "libffi8",
	"libxml2.so.2": "libxml2",
	"libz.so.1":    "zlib1g",
	"libz3.so.4":   "libz3-4",
	"libzstd.so.1": "libzstd1",
}

// loadable asks the system's loader whether everything that the library needs is present.
// It runs no code of the library.
func (h packageSet) loadable(ctx context.Context, dir, name string) error {
	if _, err := program.Find("ldd"); err != nil {
		return nil // opening the library reports the loader's error
	}
	out := new(tail)
	cmd := command(ctx, dir, []string{"ldd", "./" + name})
	cmd.Env = append(cmd.Env, "LC_ALL=C")
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	if ctx.Err() != nil {
		return stopped(ctx, h.what)
	}
	var missing, packages []string
	for _, line := range out.lines(1000, fs.ErrNotExist) {
		library, found := strings.CutSuffix(line, " => not found")
		if !found || slices.Contains(missing, library) {
			continue
		}
		missing = append(missing, library)
		if p, ok := packageOf[library]; ok {
			packages = append(packages, p)
		}
	}
	switch {
	case len(packages) > 0:
		return fmt.Errorf("native: the %s needs %s, which this system lacks: run `apt-get install %s` as root and try again%s", h.what, strings.Join(missing, ", "), strings.Join(packages, " "), h.instead())
	case len(missing) > 0:
		return fmt.Errorf("native: the %s needs %s, which this system lacks: install the package that has it and try again%s", h.what, strings.Join(missing, ", "), h.instead())
	case err != nil:
		return fmt.Errorf("native: the %s does not fit this system: use one with Debian 12%s; ldd said:\n%s", h.what,
			h.instead(), out.text(err))
	}
	return nil
}
