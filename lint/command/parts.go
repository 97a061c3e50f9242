//go:build cgo

package command

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

// checkParts checks the parts of a text one by one, after a worker was lost on all of them. Only a
// part on which a worker is lost again has no other findings. Each part has the time limit of a file.
func (s settings) checkParts(ctx context.Context, d *slot, in input, lost *loss) outcome {
	if in.open == nil { // only the worker has read it
		in.open = func() (io.ReadCloser, error) { return os.Open(string(in.Path)) }
		if problem := s.read(&in); problem != "" {
			return refused(in.Name, problem)
		}
	}
	parts := partsOf(in.Data)
	if len(parts) == 1 || mlir.IsBytecode(in.Data) || jaxexport.Is(in.Data) {
		return refused(in.Name, lost.Error())
	}
	in.Path, in.Split, in.part = nil, false, true
	o := outcome{text: true}
	for _, p := range parts {
		if ctx.Err() != nil {
			break
		}
		in.Data = p.padded()
		a, err := s.ask(ctx, d, in, s.limit)
		if lost, ok := errors.AsType[*loss](err); ok {
			a = refuse(in.Name, "%v", lost)
		} else if err != nil {
			return outcome{err: err}
		}
		for _, f := range a.received() {
			p.place(&f)
			o.findings = append(o.findings, f)
		}
	}
	report.Fingerprints(o.findings)
	return o
}
