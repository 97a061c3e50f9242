// Command calliope-opt runs passes and rewritings on a module, as mlir-opt of LLVM does: the passes of the MLIR
// library, the derivatives of autodiff and the rewritings of passes. `calliope-opt -h` lists the flags.
//
// The command itself reads the flags, fetches the library and supervises a second process of the same program, which
// does the work (see work.go). A pass may crash on a module, or abort; the command reports that as an error.
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
	exitFailed  = 1
	exitCommand = 2 // the command line is wrong, or a library is missing
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
		if _, err = fmt.Print(usage); err == nil {
			return exitDone
		}
	case errors.Is(err, errVersion):
		if _, err = fmt.Println("calliope-opt", version.Version); err == nil {
			return exitDone
		}
	case err != nil:
		err = fmt.Errorf("%w (calliope-opt -h lists the flags)", err)
	default:
		err = native.EnsureAll(ctx, native.EnsureOptions{}, native.MLIR)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "calliope-opt: %v\n", err)
		return exitCommand
	}
	status, err := supervise(ctx, args, o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "calliope-opt: %v\n", err)
	}
	return status
}
