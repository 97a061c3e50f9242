package stages

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// counted is a program that counts how often it is closed.
type counted struct {
	engine.Executable
	closed atomic.Int32
}

func (c *counted) Close() error { c.closed.Add(1); return nil }

func (c *counted) build(*Stage) (*compiledStage, error) { return &compiledStage{executable: c}, nil }

func nothing() (*Stage, error) { return nil, nil }

// TestSharedDeadline has the first caller's deadline pass: the one that waits gets what was begun for the first.
func TestSharedDeadline(t *testing.T) {
	key := stageKey{library: t.Name()}
	made := &counted{}
	building, finish := make(chan struct{}), make(chan struct{})
	ctx, end := context.WithCancelCause(t.Context())
	reason := errors.New("too late")
	first := make(chan error)
	go func() {
		_, err := compiled.get(ctx, key, nothing, func(*Stage) (*compiledStage, error) {
			close(building)
			<-finish
			return &compiledStage{executable: made}, nil
		})
		first <- err
	}()
	<-building
	end(reason)
	check.Diff(t, "the first leaves", true, errors.Is(<-first, reason))
	second := make(chan error)
	go func() {
		p, err := compiled.get(t.Context(), key, nothing, func(*Stage) (*compiledStage, error) {
			return nil, errors.New("it is built twice")
		})
		second <- errors.Join(err, p.close())
	}()
	uses := func() int {
		compiled.mu.Lock()
		defer compiled.mu.Unlock()
		if e := compiled.entries[key]; e != nil {
			return e.uses
		}
		return 0
	}
	for uses() == 1 { // the first one's, until the build is over
		time.Sleep(time.Millisecond)
	}
	close(finish)
	check.NoError(t, <-second)
	for made.closed.Load() == 0 { // by whichever of the two leaves last
		time.Sleep(time.Millisecond)
	}
	check.Diff(t, "closed", int32(1), made.closed.Load())
}

// TestSharedWait checks what becomes of those that wait for a stage that another one compiles.
func TestSharedWait(t *testing.T) {
	key := stageKey{library: t.Name()}
	made := &counted{}
	building, build := make(chan struct{}), make(chan error)
	first := make(chan *sharedStage)
	go func() {
		p, _ := compiled.get(t.Context(), key, nothing, func(*Stage) (*compiledStage, error) {
			close(building)
			return &compiledStage{executable: made}, <-build
		})
		first <- p
	}()
	<-building
	ended, end := context.WithCancelCause(t.Context())
	reason := errors.New("no longer needed")
	end(reason)
	_, err := compiled.get(ended, key, nothing, nil)
	check.Diff(t, "the cause", true, errors.Is(err, reason))

	second := make(chan error)
	again := &counted{}
	go func() { // waits, and builds when the first one fails
		p, err := compiled.get(t.Context(), key, nothing, again.build)
		second <- errors.Join(err, p.close())
	}()
	build <- errors.New("failed")
	if p := <-first; p != nil {
		t.Errorf("the first has %v", p)
	}
	check.NoError(t, <-second)
	check.Diff(t, "closed", int32(1), again.closed.Load())
	check.Diff(t, "closed, of the first", int32(0), made.closed.Load())
	check.Diff(t, "entries", 0, len(compiled.entries))
}

// TestSharedPanic has a build that panics, or that ends its goroutine, while another one waits.
func TestSharedPanic(t *testing.T) {
	for what, end := range map[string]func(){
		"the compiler panicked: oh": func() { panic("oh") },
		"was abandoned":             runtime.Goexit,
	} {
		key := stageKey{library: t.Name() + what}
		building, finish := make(chan struct{}), make(chan struct{})
		first := make(chan error, 1)
		go func() {
			var err error
			defer func() { first <- err }()
			_, err = compiled.get(t.Context(), key, nothing, func(*Stage) (*compiledStage, error) {
				close(building)
				<-finish
				end()
				return nil, nil
			})
		}()
		<-building
		second := make(chan error)
		made := &counted{}
		go func() {
			p, err := compiled.get(t.Context(), key, nothing, made.build)
			second <- errors.Join(err, p.close())
		}()
		close(finish)
		if err := <-first; err != nil && !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want an error with %q", err, what)
		}
		check.NoError(t, <-second)
		check.Diff(t, "closed", int32(1), made.closed.Load())
		check.Diff(t, "entries", 0, len(compiled.entries))
	}
}
