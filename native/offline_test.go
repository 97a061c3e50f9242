package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// write writes a file, with its folder.
func write(t *testing.T, path string, data []byte) string {
	t.Helper()
	check.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)))
	return path
}

// TestExportImport exports on one machine and imports on another, which has no pip and no
// other use of the network.
func TestExportImport(t *testing.T) {
	debFile := func(name string) string { return name + "_1%3a1.2-3_amd64.deb" }
	for _, test := range []struct {
		name     string
		part     Part
		programs []string
		needs    []string // where the files are imported
		files    []string
		wantData string
	}{
		{"wheel", testPart, []string{"python3"}, nil, []string{testWheel}, string(libraryBytes)},
		{"packages", debPart, debPrograms, debPrograms[1:], []string{debFile("libtest1"), debFile("libtest-dev")},
			linked},
	} {
		t.Run(test.name, func(t *testing.T) {
			cache, meet := setUp(t, "", test.programs...)
			dir := filepath.Join(t.TempDir(), "to", "export")
			var progress bytes.Buffer
			check.Diff(t, "names", test.files,
				check.Must(Export(t.Context(), dir, ExportOptions{Progress: &progress}, test.part)))
			check.Diff(t, "cache of the first machine", []string{"export", "export.lock"}, files(t, cache))
			if !strings.HasPrefix(progress.String(), "fetching the ") {
				t.Errorf("progress: %q", &progress)
			}
			var manifest strings.Builder
			for _, name := range files(t, dir) {
				if name != manifestName {
					manifest.WriteString(check.Must(hashFile(filepath.Join(dir, name))) + "  " + name + "\n")
				}
			}
			check.Diff(t, "manifest", sortedLines(manifest.String()),
				string(check.Must(os.ReadFile(filepath.Join(dir, manifestName)))))

			// What is there is not fetched again.
			n := len(downloads(t, meet))
			check.Must(Export(t.Context(), dir, ExportOptions{Platform: thisPlatform, Progress: io.Discard}, test.part))
			if got := len(downloads(t, meet)); got != n {
				t.Errorf("the second Export ran %d programs", got-n)
			}
			// What is damaged is.
			write(t, filepath.Join(dir, test.files[0]), []byte("damaged"))
			check.Must(Export(t.Context(), dir, ExportOptions{Progress: io.Discard}, test.part))
			if got := len(downloads(t, meet)); got == n {
				t.Error("a damaged file is kept")
			}

			write(t, filepath.Join(dir, "README"), []byte("other files are ignored"))
			cache, _ = setUp(t, "", test.needs...)
			progress.Reset()
			check.Diff(t, "parts", []Part{test.part},
				check.Must(Import(t.Context(), ImportOptions{Progress: &progress}, dir)))
			if got := progress.String(); !strings.HasPrefix(got, "importing the "+test.part.String()) {
				t.Errorf("progress: %q", got)
			}
			found, err := Find(test.part)
			check.NoError(t, err)
			check.Diff(t, "location", Location{Path: table[test.part].slot(cache).library, Source: FromCache,
				Version: table[test.part].project + " " + table[test.part].version}, found)
			check.Diff(t, "library", test.wantData, string(check.Must(os.ReadFile(found.Path))))
			check.Report(t, found.Check())
			// Again: it is there.
			progress.Reset()
			check.Diff(t, "parts", []Part{test.part},
				check.Must(Import(t.Context(), ImportOptions{Progress: &progress}, dir)))
			if progress.Len() > 0 {
				t.Errorf("it is imported again: %q", &progress)
			}
		})
	}
}

// sortedLines sorts the lines of a text.
func sortedLines(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// TestExportElsewhere exports for two platforms into one folder.
func TestExportElsewhere(t *testing.T) {
	setUp(t, "", "python3")
	dir := t.TempDir()
	check.Must(Export(t.Context(), dir, ExportOptions{Platform: "plan9/mips", Progress: io.Discard}, "elsewhere"))
	check.Must(Export(t.Context(), dir, ExportOptions{Progress: io.Discard}, testPart))
	check.Diff(t, "files", []string{manifestName, elsewhereWheel, testWheel}, files(t, dir))
	check.Diff(t, "manifest",
		sortedLines(sum(elsewhereBytes)+"  "+elsewhereWheel+"\n"+sum(wheelBytes())+"  "+testWheel+"\n"),
		string(check.Must(os.ReadFile(filepath.Join(dir, manifestName)))))

	var progress bytes.Buffer
	check.Diff(t, "parts", []Part{testPart}, check.Must(Import(t.Context(), ImportOptions{Progress: &progress}, dir)))
	if want := elsewhereWheel + " is for plan9/mips: left out\n"; !strings.Contains(progress.String(), want) {
		t.Errorf("progress %q lacks %q", &progress, want)
	}
}

// TestManifest compares the manifest with what sha256sum says of it.
func TestManifest(t *testing.T) {
	sha256sum, err := exec.LookPath("sha256sum") // before PATH is emptied
	if err != nil {
		t.Logf("not compared: %v", err) // it is a program of GNU's
		return
	}
	setUp(t, "", "python3")
	dir := t.TempDir()
	check.Must(Export(t.Context(), dir, ExportOptions{Progress: io.Discard}, testPart))
	cmd := exec.Command(sha256sum, "-c", manifestName)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != testWheel+": OK\n" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestExportErrors(t *testing.T) {
	for _, test := range []struct {
		name, mode string
		platform   string
		parts      []Part
		want       []string
	}{
		{"no such platform", "", "plan9/amd64", nil, []string{`nothing can be exported for the platform "plan9/amd64": use one of darwin/arm64, linux/amd64`}},
		{"no build", "", "plan9/mips", []Part{testPart},
			[]string{`no build of the test library for the platform "plan9/mips", only for ` + thisPlatform}},
		{"unknown", "", "", []Part{"spoon"}, []string{`unknown part "spoon"`}},
		{"corrupt", "corrupt", "", []Part{testPart}, []string{"not the pinned file", sum(wheelBytes())}},
		{"offline", "offline", "", []Part{testPart}, []string{"could not fetch calliope-test 1.2.3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cache, _ := setUp(t, test.mode, "python3")
			dir := t.TempDir()
			_, err := Export(t.Context(), dir, ExportOptions{Platform: test.platform, Progress: io.Discard},
				test.parts...)
			check.Error(t, err, test.want...)
			check.Diff(t, "files", []string(nil), files(t, dir))
			if _, err := os.Stat(filepath.Join(cache, "export", "download")); err == nil {
				t.Error("the download is left")
			}
		})
	}
	t.Run("unwritable", func(t *testing.T) {
		setUp(t, "", "python3")
		dir := filepath.Join(write(t, filepath.Join(t.TempDir(), "file"), nil), "dir")
		_, err := Export(t.Context(), dir, ExportOptions{Progress: io.Discard}, testPart)
		check.Error(t, err, "the folder "+dir+" cannot be written")
	})
	t.Run("stopped", func(t *testing.T) {
		_, meet := setUp(t, "partial", "python3")
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			appears(filepath.Join(meet, "started"))
			cancel()
		}()
		dir := t.TempDir()
		_, err := Export(ctx, dir, ExportOptions{Progress: io.Discard}, testPart)
		if check.Error(t, err, "was stopped"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		check.Diff(t, "files", []string(nil), files(t, dir))
	})
}

// TestExportInstead exports a part that the package index does not have.
func TestExportInstead(t *testing.T) {
	setUp(t, "", "python3")
	var progress bytes.Buffer
	check.Diff(t, "names", []string{testWheel},
		check.Must(Export(t.Context(), t.TempDir(), ExportOptions{Progress: &progress}, gonePart)))
	if want := "exporting calliope-test 1.2.3 instead, which lacks something: everything\n"; !strings.Contains(
		progress.String(), want) {
		t.Errorf("progress %q lacks %q", &progress, want)
	}
}

func TestImportErrors(t *testing.T) {
	bad := wheelBytes()
	bad[100] ^= 1
	for _, test := range []struct {
		name string
		data map[string]string // by file name in the folder
		file string            // imported instead of the folder
		want []string
	}{
		{"changed wheel", map[string]string{testWheel: string(bad)}, testWheel,
			[]string{testWheel + " is not imported: its sha256 is " + sum(bad),
				"expected is " + testWheel + " with the sha256 " + sum(wheelBytes())}},
		{"changed wheel in a folder", map[string]string{testWheel: string(bad)}, "", []string{"is not imported"}},
		{"something else", map[string]string{"spoon.txt": "spoon"}, "spoon.txt",
			[]string{"spoon.txt is not imported", testWheel, "libtest1_1%3a1.2-3_amd64.deb"}},
		{"for elsewhere", map[string]string{"x.whl": string(elsewhereBytes)}, "x.whl",
			[]string{"x.whl is for plan9/mips, and this is " + thisPlatform}},
		{"only for elsewhere", map[string]string{"x.whl": string(elsewhereBytes)}, "",
			[]string{"no file for " + thisPlatform + " is there", testWheel}},
		{"empty folder", nil, "", []string{"no file for " + thisPlatform + " is there", testWheel}},
		{"nothing", nil, "nosuch.whl", []string{"cannot import", "nosuch.whl", "no such file"}},
		{"half of the packages", map[string]string{"a.deb": string(debBytes("libtest1"))}, "", []string{
			"is made of several files: add libtest-dev_1%3a1.2-3_amd64.deb (sha256 " + sum(debBytes("libtest-dev"))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cache, _ := setUp(t, "")
			dir := t.TempDir()
			for name, data := range test.data {
				write(t, filepath.Join(dir, name), []byte(data))
			}
			_, err := Import(t.Context(), ImportOptions{Progress: io.Discard}, filepath.Join(dir, test.file))
			check.Error(t, err, test.want...)
			if unpinned, ok := errors.AsType[*UnpinnedError](err); ok !=
				strings.Contains(err.Error(), "is not imported") || ok && unpinned.SHA256 == "" {
				t.Errorf("%#v", err)
			}
			if _, err := os.Stat(cache); err == nil {
				t.Error("there is a cache")
			}
		})
	}
	t.Run("cache that others may change", func(t *testing.T) {
		setUp(t, "")
		open := t.TempDir()
		check.NoError(t, os.Chmod(open, 0o777))
		t.Setenv(cacheEnv, open)
		_, err := Import(t.Context(), ImportOptions{Progress: io.Discard},
			write(t, filepath.Join(t.TempDir(), "any name"), wheelBytes()))
		if _, ok := errors.AsType[*UnsafeError](err); !ok {
			t.Errorf("got %v, want an UnsafeError", err)
		}
	})
	t.Run("stopped", func(t *testing.T) {
		setUp(t, "")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := Import(ctx, ImportOptions{Progress: io.Discard},
			write(t, filepath.Join(t.TempDir(), "any name"), wheelBytes()))
		if check.Error(t, err, "was stopped"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestImportMends imports a part whose library in the cache is damaged.
func TestImportMends(t *testing.T) {
	cache, _ := setUp(t, "")
	file := write(t, filepath.Join(t.TempDir(), "any name"), wheelBytes())
	check.Must(Import(t.Context(), ImportOptions{Progress: io.Discard}, file))
	write(t, testSlot(cache).library, []byte("damaged"))
	check.Must(Import(t.Context(), ImportOptions{Progress: io.Discard}, file))
	found, err := Find(testPart)
	if err == nil {
		err = found.Check()
	}
	check.Report(t, err)
	mark := table[gonePart].id()
	check.Diff(t, "cache", append([]string{mark, mark + "/unavailable"}, wholeCache()...), files(t, cache))
}

// TestImportInstead imports a part that replaces another one. The other one is fetched if it
// can be.
func TestImportInstead(t *testing.T) {
	cache, meet := setUp(t, "offline", "python3")
	var progress bytes.Buffer
	check.Must(Import(t.Context(), ImportOptions{Progress: &progress},
		write(t, filepath.Join(t.TempDir(), "any name"), wheelBytes())))
	if want := "calliope-test 1.2.3 is used while calliope-gone 9.9 cannot be fetched; it lacks something: everything\n"; !strings.Contains(progress.String(), want) {
		t.Errorf("progress %q lacks %q", &progress, want)
	}
	want := Location{Path: testSlot(cache).library, Source: FromCache, Version: "calliope-test 1.2.3"}
	check.Diff(t, "Find", want, check.Must(Find(gonePart)))
	for range 2 { // only the first one asks the index
		check.Diff(t, "Ensure", want, check.Must(Ensure(t.Context(), gonePart, EnsureOptions{Progress: io.Discard})))
	}
	if n := len(downloads(t, meet)); n != 1 {
		t.Errorf("pip ran %d times", n)
	}
	// A cancelled Ensure is an error all the same.
	at := time.Now().Add(-2 * askAgain)
	check.NoError(t, os.Chtimes(check.Must(table[gonePart].mark()), at, at))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ensure(ctx, gonePart, EnsureOptions{Progress: io.Discard}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestAtOnce exports into one folder, and imports into one cache, several times at once.
func TestAtOnce(t *testing.T) {
	cache, meet := setUp(t, "", "python3")
	atOnce := func(do func() error) {
		t.Helper()
		failed := make(chan error)
		for range 4 {
			go func() { failed <- do() }()
		}
		for range 4 {
			check.Report(t, <-failed)
		}
	}
	dir := t.TempDir()
	atOnce(func() error {
		_, err := Export(t.Context(), dir, ExportOptions{Progress: io.Discard}, testPart)
		return err
	})
	if n := len(downloads(t, meet)); n != 1 {
		t.Errorf("%d downloads", n)
	}
	check.Diff(t, "files", []string{manifestName, testWheel}, files(t, dir))
	atOnce(func() error {
		_, err := Import(t.Context(), ImportOptions{Progress: io.Discard}, dir)
		return err
	})
	check.Report(t, check.Must(Find(testPart)).Check())
	check.Diff(t, "library", wholeCache()[:4], slices.DeleteFunc(files(t, cache), func(name string) bool {
		return !strings.HasPrefix(name, table[testPart].id()) || strings.HasSuffix(name, ".lock")
	}))
}

// TestReason checks which lines of a program's output an error has.
func TestReason(t *testing.T) {
	for out, want := range map[string]string{
		"": "failed",
		"/usr/bin/python3: No module named pip\n":                                         "/usr/bin/python3: No module named pip",
		"error: Request failed\n  cause: Failed to download `x`\n  cause: no such host\n": "Request failed: Failed to download `x`: no such host",
		"error: Request failed\n  cause: A\n  cause: B\n  cause: C\n\nhint: something\n":  "Request failed: A: C",
		"error: No interpreter found\n":                                                   "No interpreter found",
	} {
		var l tail
		fmt.Fprint(&l, out)
		if got := l.reason(errors.New("failed")); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

// TestByHand checks what an error says to do without pip or without a network.
func TestByHand(t *testing.T) {
	for _, programs := range [][]string{nil, {"python3"}} {
		setUp(t, "offline", programs...)
		_, err := Ensure(t.Context(), testPart, EnsureOptions{Progress: io.Discard})
		check.Error(t, err, "on another machine get "+testWheel+" of calliope-test 1.2.3, sha256 "+sum(wheelBytes())+
			", from PyPI", "`"+version.Doctor+" -import FILE`")
	}
}

// TestWheelNames checks the names against the table of parts.
func TestWheelNames(t *testing.T) {
	for _, p := range Parts() {
		for platform, b := range table[p].builds {
			if b.debs != nil || p == gonePart {
				continue
			}
			s := p.on(platform)
			prefix := strings.ReplaceAll(s.project, "-", "_") + "-" + s.version + "-"
			name, ok := wheelNames[b.sha256]
			if !ok || !strings.HasPrefix(name, prefix) || p != testPart && !strings.Contains(name, b.tag) {
				t.Errorf("%s for %s has the wheel %q", p, platform, name)
			}
		}
	}
	for _, name := range wheelNames {
		if filepath.Base(name) != name || !strings.HasSuffix(name, ".whl") {
			t.Errorf("%q", name)
		}
	}
}
