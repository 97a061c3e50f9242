package tests

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestModules holds that a stranger can get the modules in folders: they require the release that this one becomes,
// because Go follows the replacements of the main module alone, and the release makes a tag for each.
func TestModules(t *testing.T) {
	t.Parallel()
	const own = "github.com/calliope-mlir/calliope"
	workflow := string(check.Must(os.ReadFile("../.github/workflows/release.yml")))
	found := 0
	check.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "go.mod" || path == filepath.Join("..", "go.mod") || isTestdata(path) {
			return err
		}
		found++
		var mod struct {
			Require []struct{ Path, Version string }
		}
		check.NoError(t, json.Unmarshal(check.Must(exec.Command("go", "mod", "edit", "-json", path).Output()), &mod))
		for _, r := range mod.Require {
			if want := "v" + version.Version; strings.HasPrefix(r.Path, own) && r.Version != want {
				t.Errorf("%s requires %s %s, and the release is %s", path, r.Path, r.Version, want)
			}
		}
		folder := filepath.ToSlash(check.Must(filepath.Rel("..", filepath.Dir(path))))
		if tag := `"` + folder + `/$GITHUB_REF_NAME"`; !strings.Contains(workflow, tag) {
			t.Errorf("release.yml does not push the tag %s", tag)
		}
		return nil
	}))
	if found != 2 {
		t.Errorf("there are %d modules in folders", found)
	}
}

func isTestdata(path string) bool { return strings.Contains(filepath.ToSlash(path), "/testdata/") }
