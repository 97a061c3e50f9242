package serve

import (
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// The handlers themselves are tested from C and from Python, where a host registers them; see
// c/embed.
func TestHandlers(t *testing.T) {
	instantiate, execute, err := Handlers(contract.TargetRuntimeCall)
	check.NoError(t, err)
	plain, same, err := Handlers("a target of the host's own")
	check.NoError(t, err)
	check.Diff(t, "all are set", true, instantiate != nil && execute != nil && plain != nil)
	check.Diff(t, "calls of the contract must have attributes, those of other targets need none", true,
		instantiate != plain)
	check.Diff(t, "all are executed by the same handler", execute, same)
	for _, target := range []string{"", "a\x00b"} {
		_, _, err := Handlers(target)
		check.Error(t, err, "is not a name of a custom call target")
	}
}

func TestRegisterPJRTRefuses(t *testing.T) {
	old := make([]byte, 4096) // version 0.0, and no size
	check.Error(t, RegisterPJRT(unsafe.Pointer(&old[0])), "bridge: register with a plugin: the plugin speaks PJRT 0.0")
}
