package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

func TestParse(t *testing.T) {
	for args, want := range map[string]string{
		"":                               "name the platforms: linux/amd64, linux/arm64, windows/amd64, darwin/arm64",
		"plan9/mips":                     `there is no release for "plan9/mips": choose from linux/amd64, linux/arm64, windows/amd64, darwin/arm64`,
		"linux/arm64=/none":              "linux/arm64 needs a C compiler: install it, or write linux/arm64=CC",
		"linux/arm64=go windows/amd64=x": "windows/amd64 needs a C compiler: install it, or write windows/amd64=CC",
	} {
		_, err := parse(strings.Fields(args))
		check.Error(t, err, want)
	}
	list, err := parse([]string{"linux/arm64=go", "windows/amd64=go"})
	check.NoError(t, err)
	check.Diff(t, "names", []string{"linux-arm64", "windows-amd64"}, []string{list[0].name(), list[1].name()})
}

// TestLicences finds the licence of each module that is linked, and of Go's own packages.
func TestLicences(t *testing.T) {
	b := build{ctx: t.Context(), platform: platform{os: "linux"}}
	modules := check.Must(b.modules())
	got := map[string]string{}
	for _, m := range modules {
		got[m.path] = m.licence
	}
	for path, want := range map[string]string{"std": "BSD-3-Clause", "github.com/gomlx/gopjrt": "Apache-2.0",
		"go.yaml.in/yaml/v3": "Apache-2.0 AND MIT"} {
		check.Diff(t, path, want, got[path])
	}
	entries := check.Must(texts(modules))
	check.Diff(t, "names", []string{"LICENSE", "NOTICE", "LICENSES.txt"},
		[]string{entries[0].name, entries[1].name, entries[2].name})
	if text := string(entries[2].data); !strings.Contains(text, "Copyright 2009 The Go Authors.") {
		t.Errorf("Go's own licence is missing:\n%.500s", text)
	}

	// A licence that is not known.
	m := module{path: "x"}
	dir := t.TempDir()
	check.Error(t, m.read(dir), "there is no licence in "+dir)
	check.NoError(t, os.WriteFile(filepath.Join(dir, "LICENSE"), []byte("Do what you want."), 0o600))
	check.Error(t, m.read(dir), "the licence in "+dir+" is none of", "add it to tools/release")
}

// TestBill writes a bill whose parts are all named by a relationship.
func TestBill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bill.json")
	linked := []module{{path: "example.org/a", version: "v1.0.0", licence: "MIT"}, {path: "std", version: "go1.26"},
		{path: "example.org/a", version: "v1.0.0", licence: "MIT"}}
	check.NoError(t, writeBill(path, time.Unix(0, 0).UTC(), linked))
	var b bill
	check.NoError(t, json.Unmarshal(check.Must(os.ReadFile(path)), &b))
	var parts, related []string
	for _, p := range b.Packages {
		parts = append(parts, p.ID)
	}
	for _, r := range b.Relationships {
		related = append(related, r.To)
	}
	check.Diff(t, "parts", []string{"SPDXRef-github.com-calliope-mlir-calliope", "SPDXRef-example.org-a", "SPDXRef-std"}, parts)
	check.Diff(t, "relationships", parts, related)
	check.Diff(t, "purl", "pkg:golang/example.org/a@v1.0.0", b.Packages[1].References[0].Locator)
}

// TestArchive writes the same bytes twice, with the modes, links and licences.
func TestArchive(t *testing.T) {
	for _, p := range []platform{{os: "linux", arch: "amd64"}, {os: "windows", arch: "amd64"}} {
		b := build{platform: p, dir: t.TempDir(), when: time.Unix(1e9, 0).UTC(),
			texts: []entry{{name: "LICENSE", mode: 0o644}}}
		entries := []entry{{name: "lib/a.so.0", data: []byte("a"), mode: 0o755}, {name: "lib/a.so", link: "a.so.0"}}
		if p.os == "windows" {
			entries = entries[:1]
		}
		files := check.Must(filepath.Glob(writeTwice(t, b, entries)))
		data := check.Must(os.ReadFile(files[0]))
		top := "x-" + version.Version + "-" + p.name() + "/"
		want := map[string]string{top + "lib/a.so.0": "-rwxr-xr-x a", top + "lib/a.so": "Lrwxrwxrwx a.so.0", top + "LICENSE": "-rw-r--r-- "}
		if p.os == "windows" {
			delete(want, top+"lib/a.so")
			check.Diff(t, "files", want, unzip(t, data))
			continue
		}
		check.Diff(t, "files", want, untar(t, data))
	}
}

// writeTwice writes an archive twice, and returns a pattern for it.
func writeTwice(t *testing.T, b build, entries []entry) string {
	var first []byte
	for range 2 {
		check.NoError(t, b.archive("x", entries))
		pattern := filepath.Join(b.dir, "x-*")
		data := check.Must(os.ReadFile(check.Must(filepath.Glob(pattern))[0]))
		if first != nil && !bytes.Equal(first, data) {
			t.Error("the second archive has other bytes")
		}
		first = data
	}
	return filepath.Join(b.dir, "x-*")
}

func untar(t *testing.T, data []byte) map[string]string {
	files := map[string]string{}
	r := tar.NewReader(check.Must(gzip.NewReader(bytes.NewReader(data))))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		check.NoError(t, err)
		files[h.Name] = h.FileInfo().Mode().String() + " " + h.Linkname + string(check.Must(io.ReadAll(r)))
	}
}

func unzip(t *testing.T, data []byte) map[string]string {
	files := map[string]string{}
	r := check.Must(zip.NewReader(bytes.NewReader(data), int64(len(data))))
	for _, f := range r.File {
		content := check.Must(f.Open())
		files[f.Name] = f.Mode().String() + " " + string(check.Must(io.ReadAll(content)))
		check.NoError(t, content.Close())
	}
	return files
}

// TestSection finds the section of the changelog, and says when the version is not released.
func TestSection(t *testing.T) {
	if notes := check.Must(section(true)); len(notes) == 0 {
		t.Error("the changelog says nothing")
	}
	t.Chdir(t.TempDir())
	_, err := section(true)
	check.Error(t, err, "run it in the root of the checkout")
	changelog := "# Changelog\n\n## Unreleased: " + version.Version + "\n\n- a\n\n## 0.0.1\n\n- b\n"
	check.NoError(t, os.WriteFile("CHANGELOG.md", []byte(changelog), 0o600))
	_, err = section(false)
	check.Error(t, err, `CHANGELOG.md has no section "## `+version.Version+`"`, "use -trial")
	changelog = strings.Replace(changelog, "Unreleased: "+version.Version, version.Version+" (2026-12-01)", 1)
	check.NoError(t, os.WriteFile("CHANGELOG.md", []byte(changelog), 0o600))
	check.Diff(t, "notes", "- a\n", string(check.Must(section(false))))
}
