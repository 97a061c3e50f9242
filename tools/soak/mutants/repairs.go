package mutants

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

// textLine is a finding in the format text: the file, the line, the column, the severity, the
// message and the rule.
var textLine = regexp.MustCompile(`^(.*?):(\d+):(\d+): (error|warning|note): (.*) \[([a-z-]+)\]$`)

// edits applies the edits of each finding alone, and checks that the module is still valid. -diff
// writes nothing.
func (b *batch) edits(ctx context.Context) error {
	byFile, err := b.check(ctx)
	if err != nil {
		return err
	}
	after := &batch{programs: b.programs, folder: b.folder + " edited", inputs: map[string]input{}, tally: b.tally,
		keep: b.keep}
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
	r, err := run(ctx, b.linter, "-config", os.DevNull, "-timeout", fileLimit.String(), "-diff", b.folder)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(r.stderr)) {
		if m := textLine.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil && m[6] == "invalid" {
			b.stays(m[1], byFile[m[1]], m[5])
		}
	}
	return b.compare(func(path string, data []byte) { b.problem(path, "-diff changed it to %q", data) })
}

// stays reports a file that cannot be repaired, unless it is invalid or a file of jax.export.
func (b *batch) stays(path string, before []finding, why string) {
	if accepted(before) && !jaxexport.Is(b.inputs[path].data) {
		b.problem(path, "it cannot be repaired: %s", why)
	}
}

// valid reports the files that are invalid.
func (b *batch) valid(ctx context.Context) error {
	byFile, err := b.lint(ctx, b.linter)
	for path, found := range byFile {
		if !accepted(found) {
			b.problem(path, "the repaired module is invalid: %+v", found)
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
	during, err := b.lint(ctx, b.linter, pick(b.mutator, []string{"-fix", "-fix-partial"}))
	if err != nil {
		return err
	}
	for path, found := range during {
		if !accepted(found) {
			b.stays(path, before[path], found[0].Message)
		}
	}
	after := &batch{programs: b.programs, folder: b.folder, inputs: map[string]input{}, tally: b.tally, keep: b.keep}
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
