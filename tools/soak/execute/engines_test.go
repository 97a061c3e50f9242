package execute

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestEngines(t *testing.T) {
	_, err := Engines(t.Context(), "xla:pjrt,telepathy", false)
	check.Error(t, err, `there is no engine "telepathy": take of exact:pjrt, `)
}
