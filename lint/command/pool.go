package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"sync"

	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// An outcome is the result of one input. An error means that no input can be checked.
type outcome struct {
	findings []finding.Finding
	text     bool              // the input has lines
	sum      [sha256.Size]byte // of an input that a worker checked
	err      error

	output []byte   // for standard output
	left   bool     // something is left to repair, or -diff found a difference
	notes  []string // for standard error
}

// noted returns the lines of the notes for standard error.
func (o outcome) noted() []byte {
	var b bytes.Buffer
	for _, note := range o.notes {
		fmt.Fprintln(&b, note)
	}
	return b.Bytes()
}

// refused returns the outcome of an input that cannot be checked.
func refused(file, problem string) outcome {
	return outcome{findings: []finding.Finding{invalid(file, "%s", problem)}}
}

// A checker checks inputs, one after another.
type checker interface {
	// check checks one input. If ctx ends, its outcome is not needed.
	check(ctx context.Context, in input) outcome
	close()
}

// checkAll checks the inputs with several checkers, which start returns, and yields the outcomes in
// the order of the inputs. It calls checked after each input. If the caller stops early, the checkers
// are closed.
func checkAll(checkers int, start func() checker, all []input, checked func()) iter.Seq2[input, outcome] {
	return func(yield func(input, outcome) bool) {
		ctx, stop := context.WithCancel(context.Background())
		outcomes := make([]chan outcome, len(all))
		for i := range outcomes {
			outcomes[i] = make(chan outcome, 1)
		}
		next := make(chan int)
		var busy sync.WaitGroup
		defer func() { stop(); busy.Wait() }()
		busy.Go(func() {
			defer close(next)
			for i := range all {
				select {
				case next <- i:
				case <-ctx.Done():
					return
				}
			}
		})
		for range min(checkers, len(all)) {
			busy.Go(func() {
				c := start()
				defer c.close()
				for i := range next {
					outcomes[i] <- c.check(ctx, all[i])
					checked()
				}
			})
		}
		for i, o := range outcomes {
			if !yield(all[i], <-o) {
				return
			}
		}
	}
}

// invalid returns a finding about a whole input.
func invalid(file, format string, args ...any) finding.Finding {
	findings := []finding.Finding{finding.OfInput(file, format, args...)}
	report.Fingerprints(findings)
	return findings[0]
}

// unable returns a finding about what the run cannot do, which nothing ignores: see finding.Finding.OfRun.
func unable(file, format string, args ...any) finding.Finding {
	f := invalid(file, format, args...)
	f.Fingerprint = ""
	return f
}
