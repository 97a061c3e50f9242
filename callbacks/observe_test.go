package callbacks_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
)

func TestObserveRuns(t *testing.T) {
	group := callbacks.NewGroup(callbacks.GroupOptions{})
	defer group.Close()
	var before, first, second callbacks.Run
	names := map[*callbacks.Run]string{&before: "before", &first: "first", &second: "second"}
	group.Begin(t.Context(), &before, callbacks.RunOptions{})
	var seen []string
	note := func(what string) func(*callbacks.Run) {
		return func(r *callbacks.Run) {
			if name, ok := names[r]; ok { // and not another test's
				seen = append(seen, what+" "+name)
			}
		}
	}
	stop := callbacks.ObserveRuns(note("begin"), note("end"))
	stopToo := callbacks.ObserveRuns(note("begin too"), note("end too"))
	group.Begin(t.Context(), &first, callbacks.RunOptions{})
	stopToo()
	before.End()
	first.End()
	first.End()
	stop()
	stop()
	group.Begin(t.Context(), &second, callbacks.RunOptions{})
	second.End()
	want := []string{"begin first", "begin too first", "end before", "end first"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("what is observed (-want +got):\n%s", diff)
	}
}
