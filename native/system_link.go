package native

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// LinkLLVM makes a library with MLIR's C API of an LLVM that is on this machine, of the releases
// 19 to 23: of an installation, whose prefix is the folder with its lib, or of a build. Without
// a prefix it takes the newest that llvm-config, the variables MLIR_DIR and LLVM_DIR and the
// system's folders name. If the LLVM has the shared library libMLIR-C, LinkLLVM returns that one.
// Otherwise it links the static libraries of the C API with the LLVM's other libraries into one
// in the cache, with the C++ compiler. The new library uses the LLVM where it is: link it again
// after an update of the LLVM. Use it by its path. The error says what to do.
func LinkLLVM(ctx context.Context, prefix string, o EnsureOptions) (Location, error) {
	if runtime.GOOS != "linux" {
		return Location{}, errNotLinux
	}
	found, err := findLLVM(ctx, prefix)
	if err != nil {
		return Location{}, err
	}
	if found.release > newestLLVM {
		fmt.Fprintf(o.progress(), "%s is newer than %d, the newest release that is known: functions whose prototypes may differ are not called\n", found, newestLLVM)
	}
	at := Location{Version: "LLVM " + found.version}
	if found.whole != "" {
		at.Path, at.Source = found.whole, FromSystem
		return at, nil
	}
	cache, err := CacheDir()
	if err != nil {
		return Location{}, err
	}
	sum := sha256.Sum256([]byte(found.lib))
	sl := newSlot(cache, fmt.Sprintf("LLVM-%s-%x", found.version, sum[:4]), "libMLIR-C.so")
	again := func() (bool, error) { return false, nil } // the LLVM may be another one
	err = sl.fill(ctx, found.String(), o.progress(), again, func(ctx context.Context) error {
		fmt.Fprintf(o.progress(), "linking the C API of %s into %s\n", found, sl.dir)
		r, err := found.assemble(ctx, sl)
		if err != nil {
			return err
		}
		if err := sl.commit(r); err != nil {
			return cacheError(cache, err)
		}
		return nil
	})
	at.Path, at.Source = sl.library, FromCache
	return at, err
}

// assemble links the library at the slot's partial.
func (i installation) assemble(ctx context.Context, sl slot) (record, error) {
	h := packageSet{what: "C API of " + i.String(), env: table[MLIR].env}
	cxx, err := findCompiler(h)
	if err != nil {
		return record{}, err
	}
	parts, folders, err := i.parts(ctx, cxx)
	if err != nil {
		return record{}, err
	}
	name := filepath.Base(sl.library)
	var paths []string
	for _, folder := range folders {
		paths = append(paths, "-Wl,-rpath,"+folder)
	}
	cache := filepath.Dir(sl.dir)
	if err := h.link(ctx, cache, sl.work, cxx, name, i.archives, slices.Concat(paths, parts)); err != nil {
		return record{}, err
	}
	if err := h.loadable(ctx, sl.work, name); err != nil {
		return record{}, err
	}
	f, err := recordFile(sl.work, name)
	if err == nil {
		err = os.Rename(filepath.Join(sl.work, name), sl.partial)
	}
	if err != nil {
		return record{}, cacheError(cache, err)
	}
	return record{Wheel: i.String(), SHA256: f.SHA256, Size: f.Size}, nil
}
