package dispatch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/run/dispatch"
)

func TestObserveRuns(t *testing.T) {
	group := dispatch.NewGroup(dispatch.GroupOptions{})
	defer group.Close()
	var before, first, second dispatch.Run
	names := map[*dispatch.Run]string{&before: "before", &first: "first", &second: "second"}
	group.Begin(t.Context(), &before, dispatch.RunOptions{})
	var seen []string
	note := func(what string) func(*dispatch.Run) {
		return func(r *dispatch.Run) {
			if name, ok := names[r]; ok { // and not another test's
				seen = append(seen, what+" "+name)
			}
		}
	}
	stop := dispatch.ObserveRuns(note("begin"), note("end"))
	stopToo := dispatch.ObserveRuns(note("begin too"), note("end too"))
	group.Begin(t.Context(), &first, dispatch.RunOptions{})
	stopToo()
	before.End()
	first.End()
	first.End()
	stop()
	stop()
	group.Begin(t.Context(), &second, dispatch.RunOptions{})
	second.End()
	want := []string{"begin first", "begin too first", "end before", "end first"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("what is observed (-want +got):\n%s", diff)
	}
}
