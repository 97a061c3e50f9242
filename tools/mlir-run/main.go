// Command mlir-run runs a StableHLO module on XLA. The module is text, bytecode, a portable
// artifact or a file of jax.export. `mlir-run -h` lists the flags.
//
// The command itself only reads the flags, fetches the native parts and supervises a second
// process of the same program, which does the work (see work.go). XLA and MLIR may crash on
// a module, or abort; the command reports that as an error message.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/native"
)

// The exit status of the command.
const (
	exitDone    = 0
	exitDiffers = 1
	exitFailed  = 2
)

func main() {
	if os.Getenv(workerEnv) != "" {
		os.Exit(serve(os.Args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string) int {
	o, err := parseOptions(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return printed(usage)
	case errors.Is(err, errVersion):
		return printed("mlir-run " + version.Version + "\n")
	case err != nil:
		fmt.Fprintf(os.Stderr, "mlir-run: %v (mlir-run -h lists the flags)\n", err)
		return exitFailed
	}
	parts := native.DefaultParts()
	if o.alone() {
		parts = []native.Part{native.MLIR}
	}
	if err := native.EnsureAll(ctx, native.EnsureOptions{}, parts...); err != nil {
		fmt.Fprintf(os.Stderr, "mlir-run: %v\n", err)
		return exitFailed
	}
	status, err := supervise(ctx, args, o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mlir-run: %s: %v\n", o.module, err)
	}
	return status
}

// printed prints what was asked for, and returns the exit status.
func printed(text string) int {
	if _, err := fmt.Print(text); err != nil {
		fmt.Fprintf(os.Stderr, "mlir-run: printing: %v\n", err)
		return exitFailed
	}
	return exitDone
}
