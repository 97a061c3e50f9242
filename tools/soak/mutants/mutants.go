package mutants

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

// Options say how many inputs are made.
type Options struct {
	Inputs int
	Seed   uint64
	Keep   string // the folder that gets the inputs on which a check fails; it is made if there are any
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if o.Inputs < 1 || o.Keep == "" {
		return errors.New("the number of inputs must be 1 or more, and -keep needs a folder")
	}
	return nil
}

// perBatch is the number of inputs of a batch.
const perBatch = 2000

// fuzz is the state of a run of this package.
type fuzz struct {
	Options
	programs
	folder string
	seeds  []seed
	tally  tally
}

// Run checks the inputs on all processors, and prints lines of progress. It returns an error if a
// check failed.
func Run(ctx context.Context, o Options, out io.Writer) (err error) {
	if err := o.Check(); err != nil {
		return err
	}
	f := &fuzz{Options: o, tally: tally{outcomes: map[string]int{}, causes: map[string]int{}}}
	if f.folder, err = scratch(); err != nil {
		return err
	}
	defer os.RemoveAll(f.folder)
	if f.programs, err = build(ctx, f.folder); err != nil {
		return err
	}
	if f.seeds, err = corpus(ctx); err != nil {
		return err
	}
	f.tally.start = time.Now()
	err = execute.Reported(func() { fmt.Fprintln(out, &f.tally) }, func() error {
		return execute.Lanes(ctx, o.Inputs, perBatch, func() (func(first, end int) error, func()) {
			return func(first, end int) error { return f.batch(ctx, first/perBatch, end-first) }, func() {}
		})
	})
	fmt.Fprintf(out, "%v\ncrashes of the library:\n%s", &f.tally, f.tally.crashes())
	if n := len(f.tally.problems); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d problems; the inputs are in %s", n, o.Keep))
	}
	return err
}

// batch checks one batch. The error is that of a run of the command as a whole, and keeps all its
// files.
func (f *fuzz) batch(ctx context.Context, number, size int) error {
	label := fmt.Sprintf("%d-%d", f.Seed, number)
	b := &batch{
		programs: f.programs,
		mutator:  newMutator(f.seeds, f.Seed, uint64(number)),
		folder:   filepath.Join(f.folder, label),
		tally:    &f.tally,
		keep:     func(name string, data []byte, why string) { f.keepInput(label+"-"+name, data, why) },
	}
	defer os.RemoveAll(b.folder)
	if err := b.fill(size); err != nil {
		return err
	}
	err := modeOf(number)(b, ctx)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("batch %s: %w", label, err)
	keep := filepath.Join(f.Keep, label)
	return errors.Join(err, os.RemoveAll(keep), os.MkdirAll(keep, 0o755), os.CopyFS(keep, os.DirFS(b.folder)))
}

// keepInput keeps an input on which a check failed, and why.
func (f *fuzz) keepInput(name string, data []byte, why string) {
	f.tally.mu.Lock()
	defer f.tally.mu.Unlock()
	f.tally.problems = append(f.tally.problems, why)
	path := filepath.Join(f.Keep, name)
	err := errors.Join(os.MkdirAll(f.Keep, 0o755), os.WriteFile(path, data, 0o644),
		os.WriteFile(path+".txt", []byte(why+"\n"), 0o644))
	if err != nil {
		f.tally.problems = append(f.tally.problems, err.Error())
	}
}
