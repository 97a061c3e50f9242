package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestHosts builds and runs the hosts, and compares what they print.
func TestHosts(t *testing.T) {
	check.NoRaces(t)
	for _, host := range []string{"c", "cpp"} {
		t.Run(host, func(t *testing.T) { testHost(t, host) })
	}
}

func testHost(t *testing.T, host string) {
	want, err := os.ReadFile("testdata/" + host + ".txt")
	check.NoError(t, err)
	var got bytes.Buffer
	check.NoError(t, run(t.Context(), host, &got))
	check.Diff(t, "output", string(want), got.String())
}
