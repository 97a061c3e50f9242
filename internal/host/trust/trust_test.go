package trust_test

import (
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/trust"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestMistrust(t *testing.T) {
	dir := t.TempDir()
	for mode, want := range map[os.FileMode]string{0o700: "", 0o755: "", 0o770: trust.GroupMay, 0o707: trust.EveryMay} {
		check.NoError(t, os.Chmod(dir, mode))
		info, err := os.Stat(dir)
		check.NoError(t, err)
		check.Diff(t, mode.String(), want, trust.Mistrust(info))
	}
}
