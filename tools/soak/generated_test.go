package main

import (
	"bytes"
	"testing"
)

func TestProgramsUsage(t *testing.T) {
	for _, args := range [][]string{{"-programs", "1", "-lint"}, {"-programs", "-1"}, {"-ways", "cut"}, {"-programs", "1", "-ways", "telepathy"}} {
		var out, errs bytes.Buffer
		if got := run(args, &out, &errs); got != 2 || errs.Len() == 0 {
			t.Errorf("run(%q) = %d, said %q; want 2 and why", args, got, &errs)
		}
	}
}
