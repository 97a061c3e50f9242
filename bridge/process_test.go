//go:build linux

package bridge

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/run/cuda/cudatest"
	"github.com/calliope-mlir/calliope/internal/run/pjrt/pjrttest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A memoryStore is a store for clients of one process.
type memoryStore struct {
	mu     sync.Mutex
	values map[string][]byte
}

func (s *memoryStore) TryGet(key string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, found := s.values[key]
	return value, found, nil
}

func (s *memoryStore) Get(key string, timeout time.Duration) ([]byte, error) {
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if value, found, err := s.TryGet(key); found {
			return value, err
		}
	}
	return nil, context.DeadlineExceeded
}

func (s *memoryStore) Put(key string, value []byte) error {
	if key == "panic" {
		panic(key)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[key] = value
	return nil
}

// TestProcess makes the clients of two processes, here in one. The plugin says what it was created with, by the store,
// and fails if the store does not answer as it must.
func TestProcess(t *testing.T) {
	cudatest.Open(t)
	p, err := Open(OpenOptions{Path: pjrttest.Open(t, pjrttest.Processes).Path()})
	check.NoError(t, err)
	store := &memoryStore{values: map[string][]byte{}}
	var clients [2]*Client
	var errs [2]error
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() { clients[i], errs[i] = p.NewClient(ClientOptions{Process: &Process{i, 2, store}}) })
	}
	group.Wait()
	check.NoError(t, errors.Join(errs[:]...))
	check.Diff(t, "the store", map[string][]byte{"process 0": []byte("0 of 2"), "process 1": []byte("1 of 2")},
		store.values)
	for i, c := range clients {
		check.Diff(t, "devices here", 2, c.NumDevices())
		check.Diff(t, "devices in all", 4, c.pjrt.NumInAll())
		check.Diff(t, "devices of a program", []int{1, 0}, c.pjrt.Local([]int{3, 2, 1, 0}))
		check.Diff(t, "devices of a program", [][]int{{1}, {}}[i], c.pjrt.Local([]int{1}))
	}
	check.NoError(t, errors.Join(clients[0].Close(), clients[1].Close()))
}

// TestProcessRefused holds what is said about a wrong Process, or about none where one is needed.
func TestProcessRefused(t *testing.T) {
	cudatest.Open(t)
	p, err := Open(OpenOptions{Path: pjrttest.Open(t, pjrttest.Unconnected).Path()})
	check.NoError(t, err)
	store := &memoryStore{}
	for want, process := range map[string]*Process{
		"the client has 4 devices, of which this process can use 2": nil,
		"the Store of Process is nil":                               {0, 2, nil},
		"the number 2 of 2":                                         {2, 2, store},
		"the number -1 of 2":                                        {-1, 2, store},
	} {
		_, err := p.NewClient(ClientOptions{Process: process})
		check.Error(t, err, want)
	}
	_, err = testClient(t).Plugin().NewClient(ClientOptions{Process: &Process{0, 1, store}})
	check.Error(t, err, "only plugins for GPUs")
}
