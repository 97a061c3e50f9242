package main

import (
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestSymbols holds that the library exports the functions of the header, and nothing else.
func TestSymbols(t *testing.T) {
	want := matches(t, "../include/calliope.h", `(?m)^CALLIOPE_API [^(]*?(\w+)\(`)
	check.Diff(t, "there are functions", true, len(want) > 15)
	check.Diff(t, "exports.so", want, matches(t, "exports.so", `(?m)^ +(calliope_\w+);`))

	library, err := elf.Open(filepath.Join(built, "libcalliope.so"))
	check.NoError(t, err)
	check.Cleanup(t, library)
	symbols, err := library.DynamicSymbols()
	check.NoError(t, err)
	var got []string
	for _, s := range symbols {
		// The version is itself a symbol of the kind NOTYPE or OBJECT.
		if s.Section != elf.SHN_UNDEF && s.Name != "CALLIOPE_0" {
			got = append(got, s.Name)
			check.Diff(t, "version of "+s.Name, "CALLIOPE_0", s.Version)
		}
	}
	slices.Sort(got)
	check.Diff(t, "exported symbols", want, got)
}

// TestNoDelete holds that the loader never unloads the library: Go's threads cannot be ended.
func TestNoDelete(t *testing.T) {
	library, err := elf.Open(filepath.Join(built, "libcalliope.so"))
	check.NoError(t, err)
	check.Cleanup(t, library)
	flags, err := library.DynValue(elf.DT_FLAGS_1)
	check.NoError(t, err)
	check.Diff(t, "flags", true, len(flags) == 1 && elf.DynFlag1(flags[0])&elf.DF_1_NODELETE != 0)
}

// TestNeeded holds what else the loader loads with the library.
func TestNeeded(t *testing.T) {
	library, err := elf.Open(filepath.Join(built, "libcalliope.so"))
	check.NoError(t, err)
	check.Cleanup(t, library)
	needed, err := library.ImportedLibraries()
	check.NoError(t, err)
	for _, name := range needed {
		// The C library and its parts; libgcc_s and libstdc++ would tie hosts to a release of GCC.
		if !regexp.MustCompile(`^(libc|libdl|libm|libpthread|libresolv|ld-linux.*)\.so`).MatchString(name) {
			t.Errorf("the library needs %s", name)
		}
	}
}

// matches returns the sorted texts that a pattern's group has in a file.
func matches(t *testing.T, file, pattern string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	check.NoError(t, err)
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
		list = append(list, string(m[1]))
	}
	slices.Sort(list)
	return list
}
