package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/tools/soak/stress"
)

// oneArena makes C's allocator keep one arena, see stress.Options.
const oneArena = "MALLOC_ARENA_MAX"

// stressProcs are the values of GOMAXPROCS of the processes of a stress.
var stressProcs = []int{1, 2, 16}

// stressOne runs the stress in this process.
func stressOne(ctx context.Context, plugin *bridge.Plugin, o stress.Options, procs int, stdout, stderr io.Writer) int {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	if err := o.Check(); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 2
	}
	o.Flat = os.Getenv(oneArena) == "1"
	result, err := stress.Run(ctx, plugin, o)
	return report(result, err, stdout, stderr)
}

// stressAll runs the stress in separate processes, because the start of a program depends
// on GOMAXPROCS.
func stressAll(ctx context.Context, args []string, each time.Duration, stdout, stderr io.Writer) (status int) {
	program, err := os.Executable()
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 2
	}
	for _, procs := range stressProcs {
		within, cancel := context.WithTimeout(ctx, each+5*time.Minute)
		command := exec.CommandContext(within, program, append(slices.Clone(args), "-procs", strconv.Itoa(procs))...)
		command.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", procs), oneArena+"=1")
		command.Stdout, command.Stderr = stdout, stderr
		err := command.Run()
		cancel()
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
			fmt.Fprintln(stderr, "soak:", err)
			return 2
		}
		if err != nil {
			fmt.Fprintf(stderr, "soak: with GOMAXPROCS=%d: %v\n", procs, err)
			status = 1
		}
	}
	return status
}
