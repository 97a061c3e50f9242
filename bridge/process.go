package bridge

import (
	"errors"
	"fmt"
	"time"

	"github.com/calliope-mlir/calliope/internal/run/ffi"
)

// A Process says which of several processes a client is in. Each process makes a client with the devices of its
// machine. A program that is compiled for the devices of all is compiled and run by every process: its inputs and
// results there are those of the process's own devices.
type Process struct {
	Number int           // from 0
	Count  int           // of the processes
	Store  KeyValueStore // which all of them share
}

// A KeyValueStore is what the clients of several processes find each other by, for example a service on one machine. It
// is called by several goroutines at once, until the client is closed, also while programs run.
type KeyValueStore interface {
	// Get returns the value of a key. It waits until there is one. If that takes longer than timeout, the error is
	// context.DeadlineExceeded.
	Get(key string, timeout time.Duration) ([]byte, error)
	// TryGet returns the value of a key, and whether there is one.
	TryGet(key string) (value []byte, found bool, err error)
	// Put sets the value of a key.
	Put(key string, value []byte) error
}

func (p *Process) check(platform string) error {
	switch {
	case platform != ffi.CUDA:
		return errors.New("only plugins for GPUs connect the clients of several processes: leave Process nil")
	case p.Store == nil:
		return errors.New("the Store of Process is nil; give what all processes share")
	case p.Number < 0 || p.Number >= p.Count:
		return fmt.Errorf("Process has the number %d of %d; give each process a number of its own, from 0", p.Number,
			p.Count)
	}
	return nil
}
