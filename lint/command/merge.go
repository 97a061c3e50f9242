package command

import (
	"bytes"
	"fmt"
	"io"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/lint/command/internal/baseline"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// merges are the commands that merge the results of shards.
var merges = map[string]func(w io.Writer, names []string, files [][]byte) error{
	"merge-sarif": report.MergeSARIF,
	"merge-baselines": func(w io.Writer, names []string, files [][]byte) error {
		merged, err := baseline.Merge(names, files)
		if err != nil {
			return err
		}
		_, err = w.Write(merged)
		return err
	},
}

// merged returns the merge of files.
func merged(merge func(io.Writer, []string, [][]byte) error, names []string) (*bytes.Buffer, error) {
	var files [][]byte
	for _, name := range names {
		data, err := bounded.ReadRegular(name, baseline.Limit)
		if err != nil {
			return nil, fmt.Errorf("%s %s", name, reading(err))
		}
		files = append(files, data)
	}
	var text bytes.Buffer
	return &text, merge(&text, names, files)
}
