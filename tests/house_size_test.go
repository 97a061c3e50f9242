package tests

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// What a folder has at most, by hand: files, and exported names with methods.
const (
	mostFiles    = 40
	mostExported = 120
)

// large are the folders that have more, and why.
var large = map[string]string{
	"autodiff":          "a file has the rules of a few operations that belong together",
	"builder":           "there is a function for each operation, and a type has its methods in one package",
	"experimental/capi": "the C API has this many types, and what C calls in Go",
	"gomlx":             "GoMLX asks for a method for each operation",
	"internal/ir/ods":   "generated operations call a function for each kind of operand, attribute and result",
	"lint/rules":        "a rule is a file",
	"mlir":              "a type of MLIR has its methods in one package, and rewriting needs what handles keep, see RATIONALE.md",
	"stablehlo":         "a file has the checks or the attributes of a few operations, which are generated into this package",
}

// TestHouseSizes limits the files and the exported names of a folder, as tools/house counts them.
func TestHouseSizes(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./tools/house")
	cmd.Dir = ".."
	counted := map[string]bool{}
	for line := range strings.Lines(string(check.Must(cmd.Output()))) {
		f := strings.Fields(line)
		if counted[f[0]] = true; f[0] == "package" || f[0] == "total" {
			continue
		}
		files, exported := check.Must(strconv.Atoi(f[1])), check.Must(strconv.Atoi(f[3]))
		switch over := files > mostFiles || exported > mostExported; {
		case over && large[f[0]] == "":
			t.Errorf("%s has %d files and %d exported names: at most %d and %d are allowed without a reason", f[0],
				files, exported, mostFiles, mostExported)
		case !over && large[f[0]] != "":
			t.Errorf("%s has %d files and %d exported names: remove it from the list", f[0], files, exported)
		}
	}
	for folder := range large {
		if !counted[folder] {
			t.Errorf("there is no folder %s: remove it from the list", folder)
		}
	}
}
