package execute

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Lanes works on n programs on all processors, on parts of a size one after the other. lane returns what works on the
// parts of a processor, and what is called at the end. An error ends the work of one processor.
func Lanes(ctx context.Context, n, size int, lane func() (work func(first, end int) error, end func())) error {
	var next atomic.Int64
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i := range errs {
		work, end := lane()
		wait.Go(func() {
			defer end()
			for errs[i] == nil {
				first := int(next.Add(int64(size))) - size
				if first >= n {
					return
				}
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = work(first, min(first+size, n))
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// Reported runs a function, and calls progress now and then until it ends.
func Reported(progress func(), run func() error) error {
	ended := make(chan error)
	go func() { ended <- run() }()
	tick := time.NewTicker(15 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			progress()
		case err := <-ended:
			return err
		}
	}
}
