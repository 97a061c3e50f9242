package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Each floor and each way of the goals makes its calls, from one run and from several.
func TestCallersCall(t *testing.T) {
	plugin, err := openPlugin(t.Context())
	check.NoError(t, err)
	d, err := newDispatchers(plugin)
	check.NoError(t, err)
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 2})
	check.NoError(t, err)
	defer func() {
		check.Report(t, client.Close())
	}()
	for bytes, callers := range map[int][]caller{
		16:      join([]caller{d.handler}, d.small, d.inline, d.dispatched),
		1 << 20: join([]caller{d.handler}, d.large, d.inline, d.dispatched),
	} {
		l, err := newLoops(t.Context(), client, callers, bytes, 2)
		check.NoError(t, err)
		for i, e := range l.executables {
			for runs := range 3 {
				if err := l.run(context.Background(), e, runs, 10); err != nil {
					t.Errorf("%s with %s, %d runs: %v", callers[i].name, sized(bytes), runs, err)
				}
			}
		}
		check.Report(t, l.close())
	}
}

// Works that are done in turn are done as often as counted.
func TestInTurn(t *testing.T) {
	done, zero := 0, 0
	works := []work{
		{name: "all", do: func(n int) error { done += n; return nil }, most: 1},
		{name: "above nothing", do: func(n int) error {
			if n == 0 {
				zero++
			}
			return nil
		}, most: 1, lanes: 2, nothing: true},
	}
	got, err := inTurn(works, 5)
	check.NoError(t, err)
	if want := 5; done != want {
		t.Errorf("it was done %d times, want %d", done, want)
	}
	if want := 2 + 5; zero != want {
		t.Errorf("nothing was done %d times, want %d", zero, want)
	}
	var names []string
	for _, n := range got {
		names = append(names, n.name)
		if len(n.turns) != 5 {
			t.Errorf("%s has %d turns, want 5", n.name, len(n.turns))
		}
	}
	if diff := cmp.Diff([]string{"all", "above nothing"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := inTurn([]work{{name: "broken", do: func(int) error { return errors.New("no") }}}, 1); err == nil ||
		!strings.Contains(err.Error(), "broken: no") {
		t.Errorf("got %v", err)
	}
}

func TestCosts(t *testing.T) {
	turns := []cost{{wall: 4, cpu: 9, allocs: 1}, {wall: 2, cpu: 1, allocs: 3}, {wall: 8, cpu: 5, allocs: 2}}
	if diff := cmp.Diff(cost{wall: 2, cpu: 5, allocs: 2}, least(turns), cmp.AllowUnexported(cost{})); diff != "" {
		t.Errorf("least (-want +got):\n%s", diff)
	}
	list := costs{
		{name: "a", lanes: 8, cost: cost{wall: 4}, turns: []cost{{wall: 4}, {wall: 6}, {wall: 10}}},
		{name: "b", lanes: 1, cost: cost{wall: 2, cpu: 3}, turns: []cost{{wall: 4}, {wall: 2}, {wall: 5}}},
	}
	if got := list.over("a", "b"); got != 2 {
		t.Errorf("a is %g times b, want 2", got)
	}
	if got := list.overInTurn("a", "b"); got != 2 {
		t.Errorf("a is %g times b in a turn, want 2", got)
	}
	if got := list.leastOf("a", "b"); got != "b" {
		t.Errorf("the least is %s, want b", got)
	}
	var out strings.Builder
	list.report(&report{out: &out}, "x/")
	want := "x/a\t4\tus\t-\tok\nx/a/all\t2e+06\tcalls/s\t-\tok\nx/a/cpu\t0\tus\t-\tok\nx/a/allocs\t0\tallocs\t-\tok\n" +
		"x/b\t2\tus\t-\tok\nx/b/cpu\t3\tus\t-\tok\nx/b/allocs\t0\tallocs\t-\tok\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}
