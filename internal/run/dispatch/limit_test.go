package dispatch

import (
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// In a run on several devices no call takes as long as XLA waits for one.
func TestCollectiveLimit(t *testing.T) {
	one, several := &Run{options: RunOptions{Devices: 1}}, &Run{options: RunOptions{Devices: 2}}
	for _, test := range []struct {
		timeout time.Duration
		run     *Run
		want    time.Duration
	}{
		{0, nil, 0}, {0, one, 0}, {time.Hour, one, time.Hour},
		{0, several, collectiveLimit}, {time.Hour, several, collectiveLimit}, {time.Second, several, time.Second},
	} {
		s := &Slot{timeout: test.timeout}
		if got := s.limit(test.run); got != test.want {
			t.Errorf("timeout %v on %+v: the limit is %v, want %v", test.timeout, test.run, got, test.want)
		}
	}
	e := &callbacks.TimeoutError{Limit: collectiveLimit, Capped: true}
	want := `the function did not return after 45s, the limit for runs on several devices`
	if e.Error() != want {
		t.Errorf("got %q, want %q", e, want)
	}
}
