package main

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestSignals loads the plugin into a program in Go, whose runtime still interrupts a loop without calls.
func TestSignals(t *testing.T) {
	l, err := dl.Open(built)
	check.NoError(t, err)
	_, err = pjrt.Load(l)
	check.NoError(t, err)
	var stop atomic.Bool
	over, collected := make(chan bool), make(chan bool)
	for range 3 {
		go func() {
			for !stop.Load() {
			}
			over <- true
		}()
	}
	time.Sleep(10 * time.Millisecond)
	go func() { runtime.GC(); close(collected) }()
	select {
	case <-collected:
	case <-time.After(10 * time.Second):
		t.Error("the collector waits for the loop")
	}
	stop.Store(true)
	for range 3 {
		<-over
	}
}
