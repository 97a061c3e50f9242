package bridge

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestOpenDuringLoad opens a plugin that is open while another one is being loaded: it does not wait for that, and
// callbacks find their client.
func TestOpenDuringLoad(t *testing.T) {
	c := testClient(t)
	loading.Lock()
	defer loading.Unlock()
	if again := check.Must(Open(OpenOptions{})); again != c.plugin {
		t.Error("Open returned another plugin")
	}
}
