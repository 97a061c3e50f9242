package serve

import (
	"strconv"
	"strings"
	"sync"
)

// causes holds the Go errors that were returned to XLA, which keeps only their text. The
// text has a key of the error. Only compiling needs this; a run stores its error itself.
var causes = causeTable{errors: map[int64]error{}}

type causeTable struct {
	mu     sync.Mutex
	last   int64
	errors map[int64]error
}

const (
	causeMark  = " [calliope error "
	causeLimit = 256 // if a compile fails twice, only one of its errors is taken
)

func (p *causeTable) add(err error) (message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	p.errors[p.last] = err
	delete(p.errors, p.last-causeLimit)
	return err.Error() + causeMark + strconv.FormatInt(p.last, 10) + "]"
}

// Cause returns the message of an error of XLA without its key, and the Go error of the key, or nil, which it forgets.
func Cause(message string) (string, error) { return causes.take(message) }

func (p *causeTable) take(message string) (string, error) {
	before, rest, found := strings.Cut(message, causeMark)
	digits, after, cut := strings.Cut(rest, "]")
	key, bad := strconv.ParseInt(digits, 10, 64)
	if !found || !cut || bad != nil {
		return message, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.errors[key]
	delete(p.errors, key)
	return before + after, err
}
