package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestFullDisk checks that a report that cannot be written is a failure.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	check.NoError(t, err)
	defer full.Close()
	for _, args := range [][]string{{"-check=false"}, {"-h"}} {
		var errs bytes.Buffer
		if exit := run(t.Context(), args, full, &errs); exit != exitFailed ||
			!strings.Contains(errs.String(), "no space left") {
			t.Errorf("%q: exit status %d, %q", args, exit, &errs)
		}
	}
}
