package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/calliope-mlir/calliope/internal/host/jaxenv"
)

// runMultihost runs a program in two processes with two devices each.
func runMultihost(w *work) error {
	if err := w.library("libfunctions.so", "./examples/embed/functions"); err != nil {
		return err
	}
	return w.processes(2)
}

// processes runs the program in some processes. When one ends with an error, the others do within heartbeats.
func (w *work) processes(n int) error {
	python, err := jaxenv.Python(w.ctx, w.jax)
	if err != nil {
		return err
	}
	address, err := freeAddress(w.ctx)
	if err != nil {
		return err
	}
	outputs, errs := make([]bytes.Buffer, n), make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			own := *w
			own.out = &outputs[i]
			err := own.command([]string{
				"PYTHONPATH=" + w.source("c/python"), "PYTHONDONTWRITEBYTECODE=1", "JAX_PLATFORMS=cpu",
				"XLA_FLAGS=--xla_force_host_platform_device_count=2",
			}, python, w.source("examples/embed/multihost/host.py"), w.built("libfunctions.so"), address,
				strconv.Itoa(n), strconv.Itoa(i))
			if err != nil {
				errs[i] = fmt.Errorf("process %d: %w", i, err)
			}
		})
	}
	group.Wait()
	for i := range outputs {
		if _, err := w.out.Write(outputs[i].Bytes()); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// freeAddress returns an address of this machine that no program listens on.
func freeAddress(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
