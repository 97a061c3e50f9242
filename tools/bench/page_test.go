package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestReport writes the page of one suite, which names what is missing.
func TestReport(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "report")
	args := []string{"-report", folder, "-suite", "run", "-quick", "-repeat", "1", "-python", "no-such-python"}
	if code := run(args); code > statusOver {
		t.Fatalf("run(%q) = %d", args, code)
	}
	page := string(check.Must(os.ReadFile(filepath.Join(folder, "README.md"))))
	for _, want := range []string{
		"**It ran with `-quick`: the figures are not for comparison.**\n",
		"\n| cores | ",
		"\n| plugin | ",
		"\n| JAX, and MLIR's Python bindings | **missing**: what compares with it is left out; ",
		"\n- no-such-python has no jax (pip install jax): the lines that compare with it are left out\n",
		"\n![times of the suite run beside floors and peers](run.svg)\n",
		"\n| run/small/goal/background-over-c | ",
		" x | ≤ 1.5 | ",
		"\n| run/small/gopjrt | ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in:\n%s", want, page)
		}
	}
	picture := string(check.Must(os.ReadFile(filepath.Join(folder, "run.svg"))))
	texts, count := elements(t, picture)
	if strings.Contains(picture, "%!") || !strings.Contains(texts, "\nrun/small\n") ||
		!strings.Contains(texts, "\ngopjrt\n") || count["circle"] < 10 {
		t.Errorf("the picture has the texts %q and the elements %v", texts, count)
	}
}

// TestReportFails names a suite that cannot run on the page, and ends with status 2.
func TestReportFails(t *testing.T) {
	folder := t.TempDir()
	if code := run([]string{"-report", folder, "-suite", "embed", "-python", "no-such-python"}); code != 2 {
		t.Errorf("the status is %d", code)
	}
	page := string(check.Must(os.ReadFile(filepath.Join(folder, "README.md"))))
	if !strings.Contains(page, "\n- no-such-python has no JAX: name a Python") ||
		!strings.Contains(page, "\n**Not measured**: ") {
		t.Errorf("the page is:\n%s", page)
	}
}

func TestReadResults(t *testing.T) {
	lines := "a/b/go\t2\tus\t-\tok\na/b/go/cpu\t3\tus\t-\tok\na/b/go/allocs\t0\tallocs\t-\tok\n" +
		"a/b/over-c\t2\tx\t<=1.5\tover\na/b/go-extra\t1\tus\t<=1\tok\na/d/go\t5\tms/run\t-\tok\n" +
		"a/b/c\t1\tus\t-\tok\n"
	list := check.Must(readResults(lines))
	want := []result{
		{name: "a/b/go", value: "2", unit: "us", limit: "-", cpu: "3 µs", allocs: "0"},
		{name: "a/b/over-c", value: "2", unit: "x", limit: "<=1.5", over: true},
		{name: "a/b/go-extra", value: "1", unit: "us", limit: "<=1"},
		{name: "a/d/go", value: "5", unit: "ms/run", limit: "-"},
		{name: "a/b/c", value: "1", unit: "us", limit: "-"},
	}
	unexported := cmp.AllowUnexported(result{}, group{})
	check.Diff(t, "results", want, list, unexported)
	check.Diff(t, "groups", []group{{"a/b", []result{want[0], want[4]}}}, besidePeers(list), unexported)
	_, err := readResults("no figure\n")
	check.Error(t, err, `the line "no figure\n" is no figure`)
}

func TestTheirs(t *testing.T) {
	for name, want := range map[string]bool{
		"run/small/c": true, "run/small/gopjrt-round": true, "a/jax-io_callback": true, "stages/iteration/inline": true, "order/small/plain-devices": true, "run/small/go": false, "a/calliope": false,
		"dispatch/goal/go-inline": false, "callbacks/loop16B/none": true,
	} {
		if got := (result{name: name}).theirs(); got != want {
			t.Errorf("%s: theirs = %v", name, got)
		}
	}
}
