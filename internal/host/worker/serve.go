package worker

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
	"os"

	"github.com/calliope-mlir/calliope/internal/host/child"
	"github.com/calliope-mlir/calliope/internal/host/stack"
)

// Serve answers requests and ends the process after the last one, if Start started it with the variable. Otherwise it
// does nothing. An init function calls it.
func Serve[Request any](variable string, answer func(q Request, answers *gob.Encoder) error) {
	if os.Getenv(variable) != "1" {
		return
	}
	stack.Stay()
	out := child.Answers()
	_, err := io.WriteString(out, hello)
	answers := gob.NewEncoder(out)
	for q := range received[Request]() {
		if err == nil {
			err = answer(q, answers)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// received returns the requests. It ends the process after the last one, also while one is being answered: the program
// that wants the answer has ended.
func received[Request any]() <-chan Request {
	list := make(chan Request)
	go func() {
		requests := gob.NewDecoder(bufio.NewReader(os.Stdin))
		for {
			var q Request
			if err := requests.Decode(&q); err != nil {
				os.Exit(0)
			}
			list <- q
		}
	}()
	return list
}
