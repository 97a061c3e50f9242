package command

import (
	"fmt"
	"io"

	"github.com/calliope-mlir/calliope/lint/command/internal/baseline"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/command/internal/terminal"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// results are the findings of a run.
type results struct {
	options  *options
	report   report.Writer
	baseline *baseline.Baseline // or nil
	progress *terminal.Progress
	exit     int
	files    []string          // if there is a baseline
	known    []finding.Finding // for -write-baseline
}

// add adds the findings of one file.
func (r *results) add(file string, findings []finding.Finding) error {
	switch {
	case r.options.writeBase:
		for i := range findings {
			if f := &findings[i]; baseline.Keeps(*f) {
				f.Baseline = finding.BaselineKnown
				r.known = append(r.known, *f)
			}
		}
	case r.baseline != nil:
		r.baseline.Mark(findings)
		r.files = append(r.files, file)
	}
	for _, f := range findings {
		r.exit = max(r.exit, r.weight(f))
	}
	return writing(r.progress.Around(func() error { return r.report.File(file, findings) }))
}

// mended adds what a repair left, and prints its output and its notes.
func (r *results) mended(o outcome, stdout, stderr io.Writer) error {
	if o.left {
		r.exit = max(r.exit, exitFindings)
	}
	return r.progress.Around(func() error {
		if _, err := stdout.Write(o.output); err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
		_, _ = stderr.Write(o.noted()) // there is no other place for an error
		return nil
	})
}

// close ends the report and returns the exit status.
func (r *results) close() (int, error) {
	if err := writing(r.progress.Around(r.report.Close)); err != nil {
		return 0, err
	}
	if r.options.writeBase {
		if root := config.Outside(r.options.baseline); root != "" {
			return 0, fmt.Errorf("the baseline %s is a link out of the tree %s: name the file itself",
				r.options.baseline, root)
		}
		if err := baseline.Write(r.options.baseline, r.known); err != nil {
			return 0, fmt.Errorf("writing the baseline: %w", err)
		}
	}
	return r.exit, nil
}

// gone returns the number of findings in the baseline that the checked files no longer have.
func (r *results) gone() int {
	if r.baseline == nil {
		return 0
	}
	return r.baseline.Gone(r.files)
}

// weight returns the exit status for one finding.
func (r *results) weight(f finding.Finding) int {
	switch {
	case !f.Open():
		return exitClean
	case f.Severity == finding.Error, r.options.werror && f.Severity == finding.Warning:
		if f.Rule == finding.Invalid {
			return exitInvalid
		}
		return exitFindings
	}
	return exitClean
}

func writing(err error) error {
	if err != nil {
		return fmt.Errorf("writing the findings: %w", err)
	}
	return nil
}

// readBaseline reads the baseline, unless there is none or it is to be written.
func (o *options) readBaseline() (*baseline.Baseline, error) {
	if o.baseline == "" || o.writeBase {
		return nil, nil
	}
	return baseline.Read(o.baseline)
}
