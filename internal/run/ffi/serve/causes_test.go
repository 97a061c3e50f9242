package serve

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestPassingErrors(t *testing.T) {
	p := causeTable{errors: map[int64]error{}}
	message := p.add(errSentinel)
	for range causeLimit {
		p.add(errors.New("another"))
	}
	check.Diff(t, "kept", causeLimit, len(p.errors))
	text, err := p.take(message)
	check.Diff(t, "one too old", nil, err)
	check.Diff(t, "its text", errSentinel.Error(), text)
	text, err = p.take("x: " + p.add(errSentinel) + " at y")
	check.Diff(t, "error", true, err == errSentinel)
	check.Diff(t, "text", "x: "+errSentinel.Error()+" at y", text)
}
