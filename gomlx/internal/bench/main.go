// Bench is GoMLX on one backend, for the suite gomlx of tools/bench: it answers each line on its standard input, the
// name of a piece of work, with the microseconds that the work takes once. The tag xla adds go-xla's backend, and
// nocalliope leaves this module's out. GOMLX_BACKEND selects one.
//
//	build     a graph of 20 dense layers and their gradients
//	compile   the same graph
//	run       x + x on 4 elements
//	step      a training step of a classifier with Adam
//	in        1 MiB from the host to the device
//	out       1 MiB from the device to the host
package main

import (
	"bufio"
	"fmt"
	"os"
	"time"

	"github.com/gomlx/compute"
)

// least is the shortest time of a measurement.
const least = 100 * time.Millisecond

// A work does something n times, and returns how long that took.
type work func(n int) time.Duration

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() (err error) {
	backend, err := compute.New()
	if err != nil {
		return err
	}
	defer backend.Finalize()
	works, err := worksOn(backend)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		w, ok := works[lines.Text()]
		if !ok {
			return fmt.Errorf("there is no work %q", lines.Text())
		}
		fmt.Println(measure(w))
	}
	return lines.Err()
}

// measure returns the microseconds of doing a work once.
func measure(w work) float64 {
	w(1)
	for n := 1; ; n *= 2 {
		if took := w(n); took >= least {
			return took.Seconds() * 1e6 / float64(n)
		}
	}
}
