package structs_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tools/soak/structs"
)

func TestMain(m *testing.M) {
	structs.Serve()
	os.Exit(m.Run())
}

// TestRun makes the operations of some dialects on the default library.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	o := structs.Options{Libraries: structs.Libraries[:1], Rounds: 1, Seed: 3,
		Only: `^(acc|arith|linalg|scf|tensor|tosa)\.`}
	check.NoError(t, o.Check())
	if err := structs.Run(t.Context(), o, &out); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	if !strings.HasPrefix(out.String(), "mlir: ") || !strings.HasSuffix(out.String(), " 0 findings\n") {
		t.Errorf("it printed\n%s", &out)
	}
}
