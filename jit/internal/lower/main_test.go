package lower_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/native"
)

var client *bridge.Client // of XLA, or nil on a platform without a plugin

func TestMain(m *testing.M) {
	if err := open(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	mlirtest.Main(m)
}

func open() error {
	if !native.PJRTPlugin.Fetchable() {
		return nil
	}
	if _, err := native.Ensure(context.Background(), native.PJRTPlugin, native.EnsureOptions{}); err != nil {
		return err
	}
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return err
	}
	client, err = plugin.NewClient(bridge.ClientOptions{})
	return err
}
