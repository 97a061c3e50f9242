package errtext_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/text/errtext"
)

func TestOf(t *testing.T) {
	forever := make(chan bool)
	defer close(forever)
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New("mine"), "mine"},
		{broken{}, "an error of type errtext_test.broken whose text is not available"},
		{gone{}, "an error of type errtext_test.gone whose text is not available"},
		{blocks{forever}, "an error of type errtext_test.blocks whose text is not available"},
	} {
		if d := cmp.Diff(test.want, errtext.Of(test.err)); d != "" {
			t.Errorf("%T (-want +got):\n%s", test.err, d)
		}
	}
	for range 100 { // more than may wait at once
		if got := errtext.Of(blocks{forever}); got == "" {
			t.Error("no text at all")
		}
	}
}

type broken struct{}

func (broken) Error() string { panic("no text") }

type gone struct{}

func (gone) Error() string { runtime.Goexit(); return "" }

type blocks struct{ forever chan bool }

func (b blocks) Error() string { <-b.forever; return "" }
