package command

import (
	"io"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/command/internal/terminal"
)

// check checks the inputs with the checkers that open opens, writes the report, and returns the exit
// status. known are the names of the rules that configurations may have, or nil if they are not known.
func (o *options) check(
	stdin io.Reader, stdout, stderr io.Writer, rules []report.Rule, known []string,
	open func() (func() checker, error),
) (int, error) {
	p, err := o.plan(rules, known)
	if err != nil {
		return 0, err
	}
	baseline, err := o.readBaseline()
	if err != nil {
		return 0, err
	}
	all, err := o.inputs(stdin)
	if err != nil {
		return 0, err
	}
	if o.settings {
		text, err := p.settings(all)
		if err == nil {
			_, err = text.WriteTo(stdout)
		}
		return exitClean, err
	}
	given := all
	all = p.apply(o.shard.of(all))
	if o.fixing.on() && !o.fixing.Diff && len(given) == 1 && given[0].stdin && len(all) == 0 {
		_, err := io.Copy(stdout, stdin) // the configuration ignores it
		return exitClean, err
	}
	start, err := open()
	if err != nil {
		return 0, err
	}
	findings := stdout
	if o.fixing.aside(o.flags.Args()) {
		findings = stderr
	}
	r := &results{options: o, baseline: baseline, progress: terminal.NewProgress(stderr, len(all), terminal.Delay)}
	defer r.progress.End()
	text := report.Text{Gone: r.gone}
	if text.Width, text.Terminal = terminal.Width(findings); text.Terminal {
		text.Color = terminal.Colored()
	}
	r.report,
		err = report.New(o.format, findings, report.Options{
		Rules: rules, Version: version.Version, Werror: o.werror, Text: text, Statistics: o.statistics})
	if err != nil {
		return 0, err
	}
	for in, outcome := range checkAll(o.workers, start, all, r.progress.Checked) {
		if outcome.err != nil {
			return 0, outcome.err
		}
		found := p.finish(in, outcome)
		if o.addIgnores != "" {
			if err := o.ignoreFound(in, &outcome, found); err != nil {
				return 0, err
			}
		}
		if err := r.add(in.Name, found); err != nil {
			return 0, err
		}
		if err := r.mended(outcome, stdout, stderr); err != nil {
			return 0, err
		}
	}
	return r.close()
}
