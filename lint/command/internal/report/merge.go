package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// MergeSARIF writes the report of all files from the reports of parts of them, which this
// version of mlir-lint wrote with the same rules. names are the names of the reports.
func MergeSARIF(w io.Writer, names []string, reports [][]byte) error {
	if len(reports) == 0 {
		return errors.New("give the reports to merge")
	}
	var merged sarifLog
	for i, data := range reports {
		var log sarifLog
		if err := json.Unmarshal(data, &log); err != nil {
			return fmt.Errorf("%s is not a report in SARIF: %w", names[i], errtext.JSON(err))
		}
		if err := log.check(); err != nil {
			return fmt.Errorf("%s %w", names[i], err)
		}
		if i == 0 {
			merged = log
			continue
		}
		run, more := &merged.Runs[0], log.Runs[0]
		if !reflect.DeepEqual(run.Tool, more.Tool) {
			return fmt.Errorf("%s was made by another version of mlir-lint or with other rules than %s: make all reports anew", names[i], names[0])
		}
		run.Invocations[0].ExecutionSuccessful = run.Invocations[0].ExecutionSuccessful &&
			more.Invocations[0].ExecutionSuccessful
		run.Results = append(run.Results, more.Results...)
	}
	results := &merged.Runs[0].Results
	inOrder(*results)
	// Each shard reports a mistake in a configuration.
	*results = slices.CompactFunc(*results, func(a, b sarifResult) bool {
		return a.RuleID == finding.Invalid && reflect.DeepEqual(a, b)
	})
	return indented(w, merged)
}

// check returns an error if mlir-lint did not write the report.
func (l sarifLog) check() error {
	switch {
	case l.Version != sarifVersion:
		return fmt.Errorf("is not a report in SARIF %s: its version is %q", sarifVersion, l.Version)
	case len(l.Runs) != 1 || l.Runs[0].Tool.Driver.Name != "mlir-lint" || len(l.Runs[0].Invocations) != 1:
		return errors.New("was not written by mlir-lint")
	}
	for _, r := range l.Runs[0].Results {
		if len(r.Locations) != 1 || r.Locations[0].PhysicalLocation == nil {
			return errors.New("was not written by mlir-lint: a result does not have one location")
		}
	}
	return nil
}
