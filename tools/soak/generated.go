package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/programs"
)

// programsAll runs random programs on plugins, or on those for this platform. A signal ends it, with its processes.
func programsAll(ctx context.Context, o programs.Options, plugins string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := native.EnsureAll(ctx, native.EnsureOptions{}, native.MLIR, native.Jaxlib)
	if plugins != "" {
		o.Plugins = strings.Split(plugins, ",")
	} else if err == nil {
		o.Plugins, err = programs.Plugins(ctx)
	}
	if err == nil {
		err = o.Check()
	}
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 2
	}
	return report[programs.Options](nil, programs.Run(ctx, o, stdout), stdout, stderr)
}
