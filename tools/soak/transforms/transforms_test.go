package transforms

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) {
	Serve()
	nativetest.Main(m, native.Jaxlib, native.PJRTPlugin, native.LAPACK)
}

// TestTransforms makes trials without a problem, until there are some of each source and outcome. What a seed makes
// changes with the modules of the repository: the first ones are enough now.
func TestTransforms(t *testing.T) {
	const first, trials, most = 38, 11, 220
	missing := map[string]*regexp.Regexp{}
	for _, o := range []outcome{compared, ran, refused, unsuited} {
		missing[string(o)] = regexp.MustCompile(fmt.Sprintf(`problems.* \d+ %s`, o))
	}
	for _, of := range []string{"random program", "operations", "movement", "JAX's program", `[^:]*\.mlir`} {
		missing[of] = regexp.MustCompile(`(?m)^seed \d+: ` + of)
	}
	for seed := uint64(first); len(missing) > 0; seed += trials {
		if seed >= first+most {
			t.Fatalf("no trial is of %v", slices.Collect(maps.Keys(missing)))
		}
		var out bytes.Buffer
		o := Options{Trials: trials, Seed: seed, Keep: filepath.Join(t.TempDir(), "kept"), Log: true}
		err := Run(t.Context(), o, &out)
		if err != nil || !strings.Contains(out.String(), fmt.Sprint(trials, " trials in ")) {
			t.Fatalf("%v\n%s", err, &out)
		}
		maps.DeleteFunc(missing, func(_ string, of *regexp.Regexp) bool { return of.Match(out.Bytes()) })
	}
}

// TestCrash ends the process of a trial. It is reported with its module, and the others run.
func TestCrash(t *testing.T) {
	var out bytes.Buffer
	o := Options{Trials: 6, Seed: 1, Keep: filepath.Join(t.TempDir(), "kept"), crash: 2}
	check.Error(t, Run(t.Context(), o, &out), "1 problems; the modules are in "+o.Keep)
	crashed := regexp.MustCompile(`(?m)^seed (\d+): .*exit status 3`).FindStringSubmatch(out.String())
	for _, part := range []string{"6 trials in ", " s, 1 problems"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("it does not print %q:\n%s", part, &out)
		}
	}
	if crashed == nil {
		t.Fatalf("no trial ended its process:\n%s", &out)
	}
	text, err := os.ReadFile(filepath.Join(o.Keep, crashed[1]+".mlir"))
	check.NoError(t, err)
	if !strings.Contains(string(text), "func.func") {
		t.Errorf("%s\n%s", text, &out)
	}
}
