package baseline

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/finding"
)

func TestBaseline(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "b.json")
	in := func(name string) string { return filepath.Join(dir, name) }
	one := func(file, fingerprint string) finding.Finding {
		return finding.Finding{File: in(file), Rule: "r", Message: "m\n" + fingerprint, Fingerprint: fingerprint}
	}
	ignored := one("a", "i")
	ignored.Suppression = &finding.Suppression{Reason: "why"}
	ofRun := one("a", "")
	if err := Write(path, []finding.Finding{one("x/b", "2"), one("a", "1"), ignored, ofRun, one("a", "gone"),
		one("other", "o")}); err != nil {
		t.Fatal(err)
	}
	want := `{
  "version": 1,
  "findings": [
    {
      "file": "a",
      "rule": "r",
      "message": "m 1",
      "fingerprint": "1"
    },
`
	data, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(data), want) || strings.Contains(string(data), `"fingerprint": ""`) {
		t.Errorf("wrote %v\n%s", err, data)
	}
	b, err := Read(path)
	check.NoError(t, err)
	found := []finding.Finding{one("a", "1"), one("a", "1"), one("a", "2"), one("x/b", "2"), ofRun}
	b.Mark(found)
	var got []string
	for _, f := range found {
		got = append(got, f.Baseline)
	}
	if diff := cmp.Diff([]string{"unchanged", "new", "new", "unchanged", "new"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := b.Gone([]string{in("a"), in("x/b")}); n != 1 {
		t.Errorf("%d findings are gone, want 1", n)
	}
	// The baselines of parts make that of all.
	var parts [][]byte
	for _, findings := range [][]finding.Finding{{one("x/b", "2"), one("other", "o")},
		{one("a", "1"), one("a", "gone")}} {
		check.NoError(t, Write(in("part"), findings))
		part, err := os.ReadFile(in("part"))
		check.NoError(t, err)
		parts = append(parts, part)
	}
	merged, err := Merge([]string{"1", "2"}, parts)
	if diff := cmp.Diff(string(data), string(merged)); err != nil || diff != "" {
		t.Errorf("%v (-all +merged):\n%s", err, diff)
	}
}

func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "b.json")
	for text, want := range map[string]string{
		"":                                "is not a baseline: it is no JSON at byte 0",
		"[]":                              "is not a baseline: json: cannot unmarshal array",
		"{}":                              "is not a baseline: it has no version",
		`{"version": 2, "findings": 3}`:   "is a baseline of version 2, and this mlir-lint reads version 1: make it anew with -write-baseline",
		`{"version": 1, "findings": "x"}`: "is not a baseline: json: cannot unmarshal string",
	} {
		check.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		if _, err := Read(path); err == nil || !strings.HasPrefix(err.Error(), path+" "+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Read(filepath.Join(dir, "none")); err == nil ||
		!strings.HasPrefix(err.Error(), "there is no baseline ") {
		t.Errorf("%v", err)
	}
	if err := Write(filepath.Join(dir, "none", "b"), nil); err == nil {
		t.Error("a baseline is written to a folder that does not exist")
	}
	if _, err := Merge(nil, nil); err == nil {
		t.Error("nothing is merged")
	}
}

// TestReplace checks that a link and the permissions of a baseline are kept.
func TestReplace(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links and permissions need privileges there
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "b.json"), filepath.Join(dir, "link.json")
	check.NoError(t, os.WriteFile(path, nil, 0o600))
	check.NoError(t, os.Symlink("b.json", link))
	check.NoError(t, Write(link, nil))
	info, err := os.Lstat(path)
	target, linkErr := os.Readlink(link)
	if err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 || linkErr != nil || target != "b.json" {
		t.Errorf("%v, %v; the link is %q, %v", info, err, target, linkErr)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".mlir-lint-*")); err != nil || left != nil {
		t.Errorf("%q is left", left)
	}
}
