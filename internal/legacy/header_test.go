package legacy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/cctest"
	"github.com/calliope-mlir/calliope/internal/check"
)

// The header here is the one for users. It is a copy because a package has to be complete when it is
// vendored.
func TestHeaderIsACopy(t *testing.T) {
	want := check.Must(os.ReadFile(filepath.Join(cctest.Include(), "calliope_custom_call.h")))
	check.Diff(t, "calliope_custom_call.h", string(want), string(check.Must(os.ReadFile("calliope_custom_call.h"))))
}
