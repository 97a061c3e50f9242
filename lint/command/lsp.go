//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"path/filepath"
	"runtime"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/lsp"
)

const editorUsage = `usage: %[1]s lsp [flags]

A language server: an editor starts it, and speaks the Language Server Protocol on its
standard input and output. It reports the findings of the open modules, and offers the
repairs as code actions. docs/mlir-lint.md has the settings of some editors.

Flags:
`

// parseEditor parses the arguments of the language server.
func (o *options) parseEditor(args []string) error {
	if err := o.parseFlags(args, ""); err != nil {
		return err
	}
	if o.flags.NArg() > 0 {
		return fmt.Errorf("lsp checks what the editor opens: leave out %q, or check it without lsp", o.flags.Arg(0))
	}
	return nil
}

// serveEditor runs the language server and returns the exit status.
func (o *options) serveEditor(
	stdin io.Reader, stdout io.Writer, logger *log.Logger, analyzers []*lint.Analyzer,
) (int, error) {
	// A mistake in a configuration is reported in the documents, and is checked again for each.
	described := described(analyzers)
	if _, err := o.plan(described, namesOf(described)); err != nil && !isMistake(err) {
		return 0, err
	}
	e := &editor{options: o, rules: described, log: logger, places: make(chan struct{}, runtime.GOMAXPROCS(0))}
	e.ctx, e.stop = context.WithCancel(context.Background())
	defer e.stop()
	e.settings = settings{limits: limits{o.limit, o.max}, memory: o.memory, fetch: fetcher(e.ctx, logger.Writer())}
	var err error
	if e.part, err = e.settings.chooseEngine(o.engine); err != nil {
		return 0, err
	}
	defer e.close()
	name := config.Name
	if o.config != "" {
		name = filepath.Base(o.config)
	}
	if err := lsp.Serve(e.ctx, stdin, stdout, lsp.Options{Linter: e, Link: e.link, Config: name,
		Version: version.Version, Log: logger}); err !=
		nil {
		logger.Print(err)
		return exitFindings, nil // as the protocol wants
	}
	return exitClean, nil
}

func isMistake(err error) bool {
	_, ok := errors.AsType[*config.Error](err)
	return ok
}
