package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestPlatforms holds that README names the packages whose tests run on every platform, and that the scripts run them.
func TestPlatforms(t *testing.T) {
	const run = "$(cat .ci/packages)"
	read := func(path ...string) string {
		return string(check.Must(os.ReadFile(filepath.Join(append([]string{".."}, path...)...))))
	}
	_, text, _ := strings.Cut(read("README.md"), run)
	text, _, _ = strings.Cut(text, "\n\n")
	var named strings.Builder
	for _, m := range regexp.MustCompile("`([a-z/…]+)`").FindAllStringSubmatch(text, -1) {
		named.WriteString("./" + strings.ReplaceAll(m[1], "…", "...") + "\n")
	}
	if diff := cmp.Diff(read(".ci", "packages"), named.String()); diff != "" {
		t.Errorf("the packages (-.ci/packages +README):\n%s", diff)
	}
	for _, script := range []string{"arm64", "darwin", "windows"} {
		if !strings.Contains(read(".ci", script), run) {
			t.Errorf(".ci/%s does not run the packages of .ci/packages", script)
		}
	}
}
