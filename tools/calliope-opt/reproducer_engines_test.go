//go:build engines

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// withFiles are the passes of LLVM 22 that write or read files, or run programs, whatever their options are: a snapshot
// without a name goes to a temporary file, a graph to a viewer, and the code of a GPU through the tools of its vendor.
var withFiles = []string{
	"gpu-module-to-binary", "nvvm-attach-target", "rocdl-attach-target", "snapshot-op-locations", "spirv-attach-target",
	"transform-interpreter", "transform-preload-library", "view-op-graph", "xevm-attach-target",
}

// optionsWithFiles are options of other passes that a reproducer may not have: a pipeline of any form.
var optionsWithFiles = []string{"composite-fixed-point-pass pipeline"}

// lister prints the passes of a library, with their options, by functions of C++ that its file exports.
const lister = `#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void list(void) {
  static const char *const names[] = {"_ZN4mlir17registerAllPassesEv", "_ZN4mlir21printRegisteredPassesEv"};
  void *library = dlopen(getenv("LISTED"), RTLD_NOW | RTLD_GLOBAL);
  for (int i = 0; i < 2 && library; i++) {
    void (*call)(void) = NULL;
    *(void **)&call = dlsym(library, names[i]);
    if (call)
      call();
  }
  fflush(stdout);
  exit(0);
}
`

// TestHarmlessPasses asks LLVM 22's library for its passes and their options. Each must be known: as harmless, or not.
// Whoever adds one to the list of the harmless looks at what it does.
func TestHarmlessPasses(t *testing.T) {
	library := mlirtest.Upstream(t).Path()
	cmd := exec.Command("true")
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+cctest.Source(t, lister), "LISTED="+library,
		"LD_LIBRARY_PATH="+filepath.Dir(library))
	out, err := cmd.CombinedOutput()
	check.NoError(t, err)
	line := regexp.MustCompile(`^(    -|  --)-?([^\s=]+)`)
	var pass string
	var strange []string
	known := map[string]bool{}
	for text := range strings.Lines(string(out)) {
		m := line.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		if m[1] == "  --" {
			if pass = m[2]; strings.HasPrefix(pass, "test-") || slices.Contains(withFiles, pass) {
				pass = ""
			}
			known[pass] = true
		}
		options, isHarmless := harmless()[pass]
		switch {
		case pass == "":
		case !isHarmless:
			strange = append(strange, pass)
		case m[1] != "  --" && !slices.Contains(options, m[2]) && !slices.Contains(optionsWithFiles, pass+" "+m[2]):
			strange = append(strange, pass+" "+m[2])
		}
	}
	check.Diff(t, "passes and options that are not known", []string(nil), strange)
	if len(known) < 200 {
		t.Errorf("the library has only %d passes:\n%.400s", len(known), out)
	}
	for text := range strings.Lines(harmlessPasses) {
		if name := strings.Fields(text)[0]; !known[name] {
			t.Errorf("the library has no pass %s: remove it from the list", name)
		}
	}
}
