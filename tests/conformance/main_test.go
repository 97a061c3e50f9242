package conformance

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

var update = flag.Bool("update", false, "write docs/reference/stablehlo-ops.md")

var (
	library *mlir.Library  // the default one
	client  *bridge.Client // with a few devices, for collective operations
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if err := native.EnsureAll(context.Background(), native.EnsureOptions{}); err != nil {
		return 0, err
	}
	if library, err = mlir.Open(mlir.OpenOptions{}); err != nil {
		return 0, err
	}
	if os.Getenv(interpreterVariable) != "" {
		return 0, beInterpreter(library)
	}
	if err := registerDoubler(); err != nil {
		return 0, err
	}
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return 0, err
	}
	if client, err = plugin.NewClient(bridge.ClientOptions{Devices: 4}); err != nil {
		return 0, err
	}
	defer client.Close()
	return m.Run(), nil
}
