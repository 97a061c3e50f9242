package command

import (
	"context"
	"errors"
	"io"
	"time"
)

var (
	Run      = run
	RunQuick = runQuick
)

// Crashed returns what the command says about a file on which a worker ended in some way.
func Crashed(how string) string { return (&loss{what: "file", crash: errors.New(how)}).Error() }

// Watch watches the paths.
func Watch(
	ctx context.Context, paths []string, shortest time.Duration, stderr io.Writer, check func() (int, error),
) (int, error) {
	o := newQuickOptions("mlir-lint")
	if err := o.parse(paths, ""); err != nil {
		return 0, err
	}
	return o.watch(ctx, shortest, stderr, check)
}

// HasFlag reports whether the command has a flag.
func HasFlag(name string) bool { return newOptions("mlir-lint").flags.Lookup(name[1:]) != nil }
