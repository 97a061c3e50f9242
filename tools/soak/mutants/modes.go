package mutants

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// A mode is a way to run the command on a batch.
type mode func(*batch, context.Context) error

// special are the modes of every fifth batch, in turn.
var special = []mode{with("-strict"), (*batch).fix, with("-split-input-file"), (*batch).shards, (*batch).documents, (*batch).edits, (*batch).formats, (*batch).documents}

// modeOf returns the mode of a batch. Most batches are checked, and compared with -quick.
func modeOf(number int) mode {
	switch {
	case number%5 == 4:
		return special[number/5%len(special)]
	case number%2 == 0:
		return with()
	}
	return (*batch).quick
}

func with(args ...string) mode {
	return func(b *batch, ctx context.Context) error {
		_, err := b.check(ctx, args...)
		return err
	}
}

// shards checks that the files do not depend on each other.
func (b *batch) shards(ctx context.Context) error {
	all, err := b.check(ctx)
	if err != nil {
		return err
	}
	parts := map[string][]finding{}
	for _, shard := range []string{"1/2", "2/2"} {
		part, err := b.lint(ctx, b.linter, "-j", "1", "-shard", shard)
		if err != nil {
			return err
		}
		for path, found := range part {
			if _, twice := parts[path]; twice {
				b.problem(path, "it is in two shards")
			}
			parts[path] = found
		}
	}
	for path := range b.inputs {
		if out := outcome(all[path]); out == crash || out == late {
			continue
		}
		if !slices.EqualFunc(all[path], parts[path], sameFinding) {
			b.problem(path, "the findings %+v in a shard are %+v", all[path], parts[path])
		}
	}
	return nil
}

// address is an address in a message of the library, which is another one in each process.
var address = regexp.MustCompile(`0x[0-9a-f]+`)

func sameFinding(a, b finding) bool {
	a.Message, b.Message = address.ReplaceAllString(a.Message, ""), address.ReplaceAllString(b.Message, "")
	return reflect.DeepEqual(a, b)
}

// formats checks that all formats have the same findings, and that JUnit's has every file.
func (b *batch) formats(ctx context.Context) error {
	byFile, err := b.check(ctx)
	if err != nil {
		return err
	}
	all, open := 0, 0
	for _, found := range byFile {
		for _, f := range found {
			all++
			if f.Suppression == nil {
				open++
			}
		}
	}
	var sarif struct {
		Runs []struct{ Results []struct{ RuleID string } }
	}
	var junit struct {
		Suites []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name string `xml:"name,attr"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	for format, read := range map[string]func([]byte) (int, error){
		"text": func(out []byte) (int, error) { return strings.Count(string(out), "\n") + all - open, nil },
		"sarif": func(out []byte) (int, error) {
			err := json.Unmarshal(out, &sarif)
			if err != nil || len(sarif.Runs) != 1 {
				return 0, fmt.Errorf("%w, %d runs", err, len(sarif.Runs))
			}
			return len(sarif.Runs[0].Results), nil
		},
		"junit": func(out []byte) (int, error) {
			if err := xml.Unmarshal(out, &junit); err != nil {
				return 0, err
			}
			n := all - open
			if len(junit.Suites) != len(b.inputs) {
				return 0, fmt.Errorf("there are %d suites", len(junit.Suites))
			}
			for _, s := range junit.Suites {
				if _, known := b.inputs[s.Name]; !known {
					return 0, fmt.Errorf("the suite %q is of no file", s.Name)
				}
				for _, c := range s.Cases {
					if c.Name != "mlir-lint" { // of a file without findings
						n++
					}
				}
			}
			return n, nil
		},
	} {
		r, err := run(ctx, b.linter, "-config", os.DevNull, "-timeout", fileLimit.String(), "-format", format, b.folder)
		if err != nil {
			return err
		}
		if n, err := read(r.stdout); err != nil || n != all {
			b.problem("", "the format %s has %d findings, and json %d: %v", format, n, all, err)
		}
	}
	return nil
}

// edits applies the edits of each finding alone, and checks that the module is still valid. -diff
// writes nothing.
func (b *batch) edits(ctx context.Context) error {
	byFile, err := b.check(ctx)
	if err != nil {
		return err
	}
	after := &batch{programs: b.programs, folder: b.folder + " edited", inputs: map[string]input{}, tally: b.tally, problem: b.problem}
	if err := os.Mkdir(after.folder, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(after.folder)
	for path, found := range byFile {
		for i, f := range found {
			if f.Fix == nil || f.Fix.Edits == nil {
				continue
			}
			in := b.inputs[path]
			data, err := edited(in.data, f.Fix.Edits)
			if err != nil {
				b.problem(path, "%v", err)
				continue
			}
			in.name, in.data = fmt.Sprintf("%d %s", i, in.name), data
			if err := after.add(in); err != nil {
				return err
			}
		}
	}
	b.tally.count(&b.tally.edits, len(after.inputs))
	if len(after.inputs) > 0 {
		if err := after.valid(ctx); err != nil {
			return err
		}
	}
	if _, err := run(ctx, b.linter, "-config", os.DevNull, "-timeout", fileLimit.String(), "-diff", b.folder); err != nil {
		return err
	}
	return b.compare(func(path string, data []byte) { b.problem(path, "-diff changed it to %q", data) })
}

// valid reports the files that are invalid.
func (b *batch) valid(ctx context.Context) error {
	byFile, err := b.lint(ctx, b.linter)
	for path, found := range byFile {
		if out := outcome(found); out != clean && out != findings {
			b.problem(path, "the repaired module is %s: %+v", out, found)
		}
	}
	return err
}

// fix checks that a repair of a valid module is a valid module, and that nothing else is written.
func (b *batch) fix(ctx context.Context) error {
	before, err := b.check(ctx)
	if err != nil {
		return err
	}
	if _, err := b.lint(ctx, b.linter, pick(b.mutator, []string{"-fix", "-fix-partial"})); err != nil {
		return err
	}
	after := &batch{programs: b.programs, folder: b.folder, inputs: map[string]input{}, tally: b.tally, problem: b.problem}
	if err := b.compare(func(path string, data []byte) {
		if out := outcome(before[path]); out != findings {
			b.problem(path, "a file that is %s was written: %q", out, data)
		}
		b.tally.count(&b.tally.repaired, 1)
		in := b.inputs[path]
		in.data = data
		after.inputs[path] = in
	}); err != nil {
		return err
	}
	for path := range b.inputs {
		if _, written := after.inputs[path]; !written {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	if len(after.inputs) == 0 {
		return nil
	}
	return after.valid(ctx)
}

// compare calls changed for each file that is not as it was, and reports files that are new or gone.
func (b *batch) compare(changed func(path string, data []byte)) error {
	files, err := os.ReadDir(b.folder)
	if err != nil {
		return err
	}
	if len(files) != len(b.inputs) {
		b.problem("", "the folder has %d files, want %d", len(files), len(b.inputs))
	}
	for _, file := range files {
		path := filepath.Join(b.folder, file.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if in, known := b.inputs[path]; !known {
			b.problem("", "the file %q is new", path)
		} else if string(data) != string(in.data) {
			changed(path, data)
		}
	}
	return nil
}
