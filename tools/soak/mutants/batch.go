package mutants

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A batch is a folder with inputs.
type batch struct {
	programs
	*mutator
	folder string
	inputs map[string]input // by path
	tally  *tally
	keep   func(name string, data []byte, why string) // keeps an input on which a check failed
}

// problem reports that a check failed on an input, or, if the path is "", on the batch.
func (b *batch) problem(path, format string, args ...any) {
	b.keep(filepath.Base(path), b.inputs[path].data, fmt.Sprintf(format, args...))
}

// canary is a file among the others. Its findings show that they do not hide them.
const (
	canary     = "%t = stablehlo.create_token : !stablehlo.token\n%u = \"stablehlo.outfeed\"(%t) : (!stablehlo.token) -> !stablehlo.token\n"
	perCanary  = 250
	canaryName = "canary"
)

// fill writes the files.
func (b *batch) fill(size int) error {
	b.inputs = map[string]input{}
	if err := os.Mkdir(b.folder, 0o755); err != nil {
		return err
	}
	for i := range size {
		in := b.input(i)
		if i%perCanary == perCanary/2 {
			in = input{name: fmt.Sprintf("%05d %s.mlir", i, canaryName), data: []byte(canary)}
		}
		if err := b.add(in); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) add(in input) error {
	path := filepath.Join(b.folder, in.name)
	b.inputs[path] = in
	return os.WriteFile(path, in.data, 0o644)
}

// sings reports whether the findings are those of a canary.
func sings(found []finding) bool {
	return len(found) == 2 && found[0].Rule == "create-token" && found[1].Rule == "outfeed" && found[1].Line == 2
}

func isCanary(path string) bool { return strings.HasSuffix(path, canaryName+".mlir") }

// ours are parts of the messages about mistakes of the linter.
var ours = regexp.MustCompile(`panic: |failed on this module|the edits of the repairs cannot be made|cannot be read: |cannot be written: `)

// lint runs a linter on the folder, holds its report against the batch, and returns the findings
// of each file.
func (b *batch) lint(ctx context.Context, program string, args ...string) (map[string][]finding, error) {
	fixing := len(args) > 0 && strings.HasPrefix(args[0], "-fix")
	args = append([]string{"-config", os.DevNull, "-j", "2", "-timeout", fileLimit.String(), "-format", "json"},
		args...)
	r, err := run(ctx, program, append(args, b.folder)...)
	if err != nil {
		return nil, err
	}
	all, err := parse(r.stdout)
	if err != nil {
		return nil, err
	}
	byFile, status := map[string][]finding{}, 0
	for _, f := range all {
		if _, known := b.inputs[f.File]; !known {
			return nil, fmt.Errorf("a finding is about %q, which is not in the batch", f.File)
		}
		status = max(status, f.weight())
		byFile[f.File] = append(byFile[f.File], f)
		if f.Rule == "invalid" && ours.MatchString(f.Message) {
			b.problem(f.File, "%s", f.Message)
		}
	}
	if status != r.status && !fixing {
		return nil, fmt.Errorf("the exit status is %d, and the findings have %d", r.status, status)
	}
	if len(r.stderr) > 0 && !fixing { // -fix says there what it wrote
		return nil, fmt.Errorf("the command printed %q", r.stderr)
	}
	return byFile, nil
}

// check is lint with mlir-lint. It counts the outcomes.
func (b *batch) check(ctx context.Context, args ...string) (map[string][]finding, error) {
	byFile, err := b.lint(ctx, b.linter, args...)
	if err != nil {
		return nil, err
	}
	for path := range b.inputs {
		found := byFile[path]
		b.tally.add(found)
		switch out := outcome(found); {
		case isCanary(path) && !sings(found):
			b.problem(path, "the findings are %+v", found)
		case out == crash, out == late:
			if err := b.confirm(ctx, path, found, args); err != nil {
				return nil, err
			}
		}
	}
	return byFile, nil
}

// confirm checks that a file crashes or holds up the library itself: also without our rules.
func (b *batch) confirm(ctx context.Context, path string, found []finding, args []string) error {
	if len(found) != 1 && !slices.Contains(args, split) {
		b.problem(path, "the file was lost, and has the findings %+v", found)
	}
	args = append(slices.Clone(args), "-config", os.DevNull, "-timeout", fileLimit.String(), "-format", "json",
		"-rules", "found", path)
	for range 3 {
		r, err := run(ctx, b.exact, args...)
		if err != nil {
			return err
		}
		again, err := parse(r.stdout)
		if err != nil {
			return err
		}
		if out := outcome(again); out == crash || out == late {
			return nil
		}
	}
	b.problem(path, "without our rules it is checked: %s", found[0].Message)
	return nil
}
