package mutants

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func seedsOf(t *testing.T) []seed {
	t.Helper()
	seeds, err := corpus(t.Context())
	check.NoError(t, err)
	return seeds
}

// TestSameInputs checks that the same numbers make the same inputs, and others do not.
func TestSameInputs(t *testing.T) {
	seeds := seedsOf(t)
	make := func(number, batch uint64) (all []string) {
		m := newMutator(seeds, number, batch)
		for i := range 100 {
			in := m.input(i)
			all = append(all, in.name+"\n"+string(in.data))
		}
		return all
	}
	first := make(1, 2)
	check.Diff(t, "inputs", first, make(1, 2))
	if slices.Equal(first, make(2, 2)) || slices.Equal(first, make(1, 3)) {
		t.Error("another number makes the same inputs")
	}
}

// TestSections checks that all bytecode of the corpus is divided to its end, and that integers are
// encoded as they are read.
func TestSections(t *testing.T) {
	n := 0
	for _, s := range seedsOf(t) {
		all := sections(s.data)
		if s.isText() || all == nil || s.name == "bad_truncated_bytecode.mlirbc" {
			continue
		}
		n++
		if len(all) < 5 || all[len(all)-1].end != len(s.data) {
			t.Errorf("%s: %d sections, the last one %+v of %d bytes", s.name, len(all), all[len(all)-1], len(s.data))
		}
	}
	if n < 20 {
		t.Errorf("only %d modules are bytecode", n)
	}
	for shift := range 64 {
		for _, v := range []uint64{1 << shift, 1<<shift - 1, ^uint64(0) >> shift} {
			data := encoded(v)
			if got, width := varint(data, 0); got != v || width != len(data) {
				t.Errorf("%d is encoded as %x, which is %d in %d bytes", v, data, got, width)
			}
		}
	}
}

// TestBatchProblems checks that a batch notices what is wrong.
func TestBatchProblems(t *testing.T) {
	check.NoRaces(t)
	p, err := build(t.Context(), t.TempDir())
	check.NoError(t, err)
	newBatch := func(t *testing.T) (*batch, *[]string) {
		problems := &[]string{}
		b := &batch{programs: p, mutator: newMutator(nil, 1, 1), folder: t.TempDir(), inputs: map[string]input{},
			tally: &tally{outcomes: map[string]int{}, causes: map[string]int{}}}
		b.keep = func(name string, _ []byte, why string) { *problems = append(*problems, name+": "+why) }
		check.NoError(t, b.add(input{name: "a.mlir", data: []byte(canary)}))
		return b, problems
	}
	ways := map[string]mode{"check": with(), "quick": (*batch).quick, "fix": (*batch).fix, "edits": (*batch).edits,
		"shards": (*batch).shards, "formats": (*batch).formats, "documents": (*batch).documents}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			b, problems := newBatch(t)
			check.NoError(t, way(b, t.Context()))
			check.Diff(t, "problems", []string{}, *problems)
		})
	}
	t.Run("a file is lost", func(t *testing.T) {
		b, problems := newBatch(t)
		b.inputs[filepath.Join(b.folder, "b.mlir")] = input{name: "b.mlir"}
		check.NoError(t, b.formats(t.Context()))
		check.Diff(t, "problems", []string{".: the format junit: it has 1 files, want 2"}, *problems)
	})
	t.Run("a finding is lost", func(t *testing.T) {
		b, problems := newBatch(t)
		check.NoError(t, b.add(input{name: "b " + canaryName + ".mlir", data: []byte("func.func @f() { return }")}))
		check.NoError(t, with()(b, t.Context()))
		check.Diff(t, "problems", []string{"b canary.mlir: the findings are []"}, *problems)
	})
	t.Run("an unknown file", func(t *testing.T) {
		b, _ := newBatch(t)
		check.NoError(t, os.WriteFile(filepath.Join(b.folder, "b.mlir"), []byte(canary), 0o644))
		check.Error(t, with()(b, t.Context()), "b.mlir", "is not in the batch")
	})
}

// TestRun checks that the end of a command is checked.
func TestRun(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"an exit status", "exit 3", "exit status"},
		{"a signal", "kill -9 $$", "signal: killed"},
		{"a panic", "echo 'panic: no' >&2; exit 2", `printed "panic: no"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := run(t.Context(), "sh", "-c", test.script)
			check.Error(t, err, test.want)
		})
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "sleep 1000 &")
	inGroup(cmd)
	check.NoError(t, cmd.Run())
	check.Error(t, alone(cmd, time.Millisecond), "a process is left")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := run(ctx, "sh", "-c", "exit 0"); !errors.Is(err, context.Canceled) {
		t.Errorf("the error of a run that is cancelled is %v", err)
	}
}

func TestEdited(t *testing.T) {
	got, err := edited([]byte("\ufeffab\ncd\n"), []edit{{1, 1, 1, 2, "x"}, {2, 2, 3, 1, "y"}})
	check.NoError(t, err)
	if want := []byte("\ufeffxb\ncy"); !bytes.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	_, err = edited([]byte("ab"), []edit{{2, 1, 2, 1, "x"}})
	check.Error(t, err, "is not in the text")
}

func TestFlat(t *testing.T) {
	at := func(size int64) memory { return memory{workers: []int64{size, 1}} }
	check.NoError(t, flat([]memory{at(1), at(2), at(3), at(4)}))
	check.Error(t, flat([]memory{at(1), at(2), at(3), at(growthBound + 3)}), "a worker grew")
	check.Error(t, flat([]memory{at(1), {}, at(3), at(4)}), "not enough samples")
	check.Error(t, Measure(t.Context(), fewest-1, io.Discard), "must be 1000 or more")
}
