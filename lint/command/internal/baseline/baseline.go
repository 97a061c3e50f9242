// Package baseline keeps the findings that are known, so that only new ones count. It does not
// need the MLIR library.
package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// Version is the version of the file format and of the fingerprints.
const Version = 1

// Limit is the largest size of a baseline and of another report that is read.
var Limit = bounded.Limit{Size: bounded.GiB}

// A Baseline is a set of known findings. One goroutine uses it.
type Baseline struct {
	folder string      // absolute, of the baseline's file
	known  map[key]int // how often each finding is known and was not marked yet
}

type key struct{ file, fingerprint string }

// file is the JSON form of a baseline.
type file struct {
	Version  int     `json:"version"`
	Findings []entry `json:"findings"`
}

type entry struct {
	File        string `json:"file"`
	Rule        string `json:"rule"`
	Message     string `json:"message"` // for people who read the file
	Fingerprint string `json:"fingerprint"`
}

// Read reads a baseline.
func Read(path string) (*Baseline, error) {
	data, err := bounded.ReadRegular(path, Limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no baseline %s: make it with -write-baseline", path)
	}
	if err != nil {
		return nil, fmt.Errorf("the baseline: %w", err)
	}
	f, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	folder, err := folderOf(path)
	if err != nil {
		return nil, err
	}
	b := &Baseline{folder: folder, known: map[key]int{}}
	for _, e := range f.Findings {
		b.known[key{e.File, e.Fingerprint}]++
	}
	return b, nil
}

func parse(path string, data []byte) (file, error) {
	var version struct{ Version *int }
	if err := json.Unmarshal(data, &version); err != nil {
		return file{}, fmt.Errorf("%s is not a baseline: %w", path, errtext.JSON(err))
	}
	if version.Version == nil {
		return file{}, fmt.Errorf("%s is not a baseline: it has no version", path)
	}
	if *version.Version != Version {
		return file{}, fmt.Errorf("%s is a baseline of version %d, and this mlir-lint reads version %d: make it anew with -write-baseline", path, *version.Version, Version)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return file{}, fmt.Errorf("%s is not a baseline: %w", path, errtext.JSON(err))
	}
	return f, nil
}

// Mark sets the field Baseline of the findings of one file. Those about the run are always new.
func (b *Baseline) Mark(findings []finding.Finding) {
	for i := range findings {
		f := &findings[i]
		f.Baseline = finding.BaselineNew
		if f.OfRun() {
			continue
		}
		if k := (key{relative(b.folder, f.File), f.Fingerprint}); b.known[k] > 0 {
			b.known[k]--
			f.Baseline = finding.BaselineKnown
		}
	}
}

// Gone returns the number of known findings of files that were not found.
func (b *Baseline) Gone(files []string) (n int) {
	checked := map[string]bool{}
	for _, f := range files {
		checked[relative(b.folder, f)] = true
	}
	for k, left := range b.known {
		if checked[k.file] {
			n += left
		}
	}
	return n
}

// Keeps reports whether a baseline can contain a finding: not if that is ignored, or is about the run.
func Keeps(f finding.Finding) bool { return f.Suppression == nil && !f.OfRun() }

// Write writes the findings that a baseline keeps, and replaces the file at once.
func Write(path string, findings []finding.Finding) error {
	folder, err := folderOf(path)
	if err != nil {
		return err
	}
	f := file{Version: Version, Findings: []entry{}}
	for _, d := range findings {
		if Keeps(d) {
			f.Findings = append(f.Findings,
				entry{relative(folder, d.File), d.Rule, errtext.Line(d.Message), d.Fingerprint})
		}
	}
	data, err := f.encode()
	if err != nil {
		return err
	}
	return replace.File(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Merge returns the baseline of all files from the baselines of parts of them in one folder.
func Merge(names []string, baselines [][]byte) ([]byte, error) {
	if len(baselines) == 0 {
		return nil, errors.New("give the baselines to merge")
	}
	all := file{Version: Version, Findings: []entry{}}
	for i, data := range baselines {
		f, err := parse(names[i], data)
		if err != nil {
			return nil, err
		}
		all.Findings = append(all.Findings, f.Findings...)
	}
	return all.encode()
}

func (f file) encode() ([]byte, error) {
	slices.SortFunc(f.Findings, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(f)
	return b.Bytes(), err
}

func folderOf(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	return filepath.Dir(absolute), err
}

// relative returns the name of a file in a baseline: relative to its folder, with slashes.
func relative(folder, file string) string {
	if file == "<stdin>" {
		return file
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	name, err := filepath.Rel(folder, absolute)
	if err != nil {
		return filepath.ToSlash(absolute) // on another volume
	}
	return filepath.ToSlash(name)
}
