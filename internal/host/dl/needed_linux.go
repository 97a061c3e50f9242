//go:build cgo

package dl

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// openNeeded opens what a library needs, if its file tells the loader to look in the working folder, where a stranger's
// libraries may be: the default MLIR library has such a search path, "$ORIGIN:", which ends in an empty folder. The
// loader takes a library that is open already. What is neither in the other folders of the search path nor where the
// system has its libraries is an error.
func openNeeded(path string) error {
	if !strings.Contains(path, "/") {
		return nil // one of the system, which is no file here
	}
	file, err := elf.Open(path)
	if err != nil {
		return nil // the loader says why
	}
	defer file.Close()
	var folders []string
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		lists, _ := file.DynString(tag) // damaged ones are the loader's to report
		for _, list := range lists {
			folders = append(folders, strings.Split(list, ":")...)
		}
	}
	here := filepath.Dir(path)
	for i, folder := range folders {
		folders[i] = strings.NewReplacer("$ORIGIN", here, "${ORIGIN}", here).Replace(folder)
	}
	fixed := slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return !filepath.IsAbs(f) })
	if len(fixed) == len(folders) {
		return nil
	}
	names, _ := file.ImportedLibraries()
	for _, name := range names {
		found := name
		for _, folder := range fixed {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				found = filepath.Join(folder, name)
				break
			}
		}
		if strings.Contains(name, "/") && !filepath.IsAbs(name) {
			return fmt.Errorf("opening shared library %s: it needs %s of the working folder, which may be a stranger's",
				path, name)
		}
		if _, err := open(found); err != nil {
			const lacks = "opening shared library %s: it needs %s, which is neither beside it nor in the folders of " +
				"the system (the working folder does not count): %w"
			return fmt.Errorf(lacks, path, name, err)
		}
	}
	return nil
}
