package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/internal/host/child"
	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/internal/ir/parts"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

// serve is the main function of the worker process. It returns the exit status.
func serve(args []string) int {
	o, err := parseOptions(args)
	if err == nil {
		o.passes.Reproducer = os.Getenv(workerEnv)
		err = work(o, child.Answers())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "calliope-opt: %v\n", err)
		return workerFailed
	}
	return workerDone
}

// work reads the module, runs the steps, and writes the result. It names each step to progress before it runs.
func work(o options, progress io.Writer) error {
	if o.showPasses {
		for _, p := range stablehlo.Passes() {
			if _, err := fmt.Printf("--%s\n    %s, on %s\n", p.Name, p.Purpose, p.On); err != nil {
				return err
			}
		}
		return nil
	}
	source, err := read(o)
	if err != nil {
		return err
	}
	if o.reproduce {
		pipeline, err := reproducedPipeline(source)
		if err == nil && !o.trust {
			err = refuseFiles(pipeline)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", o.name(), err)
		}
		o.steps = append(o.steps, pipelineStep(pipeline))
	}
	library, err := load.Library(context.Background(), source, native.EnsureOptions{Progress: os.Stderr})
	if err != nil {
		return err
	}
	list := []parts.Part{{Data: source}}
	if o.split && !mlir.IsBytecode(source) {
		list = parts.Of(source)
	}
	var out bytes.Buffer
	var failed []error
	for i, part := range list {
		if i > 0 {
			fmt.Fprintf(&out, "\n%s\n", parts.Marker)
		}
		j := job{options: o, name: o.name(), source: part.Padded(), progress: progress}
		if err := j.do(library, &out); err != nil {
			failed = append(failed, err)
		}
	}
	switch {
	case len(failed) > 0:
		return errors.Join(failed...)
	case o.verifyDiagnostics:
		return nil
	case o.out == "":
		_, err = os.Stdout.Write(out.Bytes())
		return err
	}
	return replace.File(o.out, func(w io.Writer) error {
		_, err := w.Write(out.Bytes())
		return err
	})
}

// read reads the input. Of a file of jax.export it returns the module.
func read(o options) (source []byte, err error) {
	limit := bounded.Limit{Size: o.maxModule, Flag: "--max-module"}
	if o.file == "-" {
		source, err = bounded.Read(os.Stdin, limit)
	} else {
		source, err = bounded.ReadFile(o.file, limit)
	}
	if _, ok := errors.AsType[*bounded.TooLargeError](err); ok {
		return nil, fmt.Errorf("%s: %w", o.name(), err)
	}
	if err == nil && jaxexport.Is(source) {
		var export load.Export
		if export, err = load.ReadExport(source); err == nil {
			source = export.Module
		}
	}
	return source, err
}

// A job is the work on one module.
type job struct {
	options
	name     string
	source   []byte
	progress io.Writer
}

// do runs the steps on the module and writes it to out.
func (j job) do(library *mlir.Library, out io.Writer) (err error) {
	c := library.NewContext(mlir.ContextOptions{AllowUnregistered: j.allowUnregistered})
	defer func() { err = errors.Join(err, c.Close()) }()
	var reported []mlir.Diagnostic
	c.OnDiagnostic(func(d mlir.Diagnostic) { reported = append(reported, d) })
	err = j.transform(c, out)
	if j.verifyDiagnostics {
		if err != nil && len(reported) == 0 {
			return err // of a step that reports no diagnostics
		}
		return compareDiagnostics(j.name, j.source, reported)
	}
	for _, d := range reported {
		if d.Severity != mlir.SeverityError { // errors are in err
			fmt.Fprintln(os.Stderr, d)
		}
	}
	return err
}

func (j job) transform(c *mlir.Context, out io.Writer) error {
	m, err := c.Parse(j.name, j.source)
	if refusal, ok := errors.AsType[*mlir.DiagnosticError](err); ok && !j.allowUnregistered &&
		slices.ContainsFunc(refusal.Diagnostics, unregistered) {
		return fmt.Errorf("%w\n--allow-unregistered-dialect reads operations of other dialects, in the generic form", err)
	}
	if err != nil {
		return err
	}
	for steps := j.steps; len(steps) > 0; {
		n := 1
		for n < len(steps) && steps[0].run == nil && steps[0].pass.pipeline == "" && steps[n].run == nil &&
			steps[n].pass.pipeline == "" {
			n++
		}
		if err := j.run(c, m, steps[:n]); err != nil {
			return err
		}
		steps = steps[n:]
	}
	return j.write(m, out)
}

// unregistered reports whether a diagnostic is of a dialect that the library does not have.
func unregistered(d mlir.Diagnostic) bool {
	return strings.Contains(d.Message, "-allow-unregistered-dialect")
}

// run runs one step, or adjacent passes.
func (j job) run(c *mlir.Context, m *mlir.Module, steps []step) (err error) {
	name := steps[0].name
	for _, s := range steps[1:] {
		name += ", " + s.name
	}
	if _, err := fmt.Fprintln(j.progress, name); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %s: %w", j.name, name, err)
		}
	}()
	if run := steps[0].run; run != nil {
		if err := run(m); err != nil {
			return err
		}
		return m.Verify()
	}
	options := j.passes
	options.Pipeline = steps[0].pass.pipeline
	manager, err := c.NewPassManager(options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, manager.Close()) }()
	if options.Pipeline == "" {
		for _, s := range steps {
			if err := s.pass.add(manager.PassList); err != nil {
				return fmt.Errorf("%w%s", err, misspelled(s.name))
			}
		}
	}
	return manager.Run(m)
}

// write writes the module in the format that the options say.
func (j job) write(m *mlir.Module, out io.Writer) (err error) {
	var data []byte
	switch {
	case j.format.bytecode:
		data, err = m.Bytecode()
	case j.format.artifact:
		data, err = stablehlo.PortableArtifact(m, j.format.version)
	default:
		data = []byte(m.Operation().Print(j.print))
		if !bytes.HasSuffix(data, []byte("\n")) {
			data = append(data, '\n')
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", j.name, err)
	}
	_, err = out.Write(data)
	return err
}
