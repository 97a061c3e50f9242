package mlir_test

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestConcurrentUse checks that a context that two goroutines use at once panics with the
// places of both. The panic ends the process, so the test runs in a child process.
func TestConcurrentUse(t *testing.T) {
	const env = "CALLIOPE_TEST_CONCURRENT"
	if os.Getenv(env) != "" {
		useAtOnce(t)
		return
	}
	const place = `(mlir\.[A-Za-z.()*]+), called at \S+concurrent_test\.go:\d+`
	message := regexp.MustCompile(`mlir: a Context is used by two goroutines at once: here in ` + place +
		`, and there in (` + place + `|a call that has ended)`)
	for range 5 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestConcurrentUse$", "-test.timeout=2m")
		cmd.Env = append(os.Environ(), env+"=1")
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Fatal("two goroutines used one context at once without a panic")
		}
		m := message.FindSubmatch(out)
		if m == nil {
			t.Fatalf("the process ended with %v: %.2000s", err, out)
		}
		if len(m[3]) > 0 {
			return
		}
	}
	t.Fatal("five times the other call had ended before its place was known")
}

func useAtOnce(t *testing.T) {
	c := mlirtest.Context(t)
	i32 := c.IntegerType(32, mlir.Signless)
	block := c.NewBlock(mlir.Location{}, i32)
	uses := []func(){
		func() {
			check.Must(mlir.Create(block, mlir.OperationState{Name: "arith.addi",
				Operands: []mlir.Value{block.Argument(0), block.Argument(0)}, Results: []mlir.Type{i32}}))
		},
		func() { check.Must(c.ParseType("tensor<2x?xf32>")) },
	}
	for _, use := range uses {
		use()
	}
	done := make(chan struct{})
	for _, use := range uses {
		go func() {
			for range 1 << 20 {
				use()
			}
			done <- struct{}{}
		}()
	}
	for range uses {
		<-done
	}
}

// TestConcurrentContexts checks that goroutines with a context each do not panic, and
// neither do goroutines that take turns.
func TestConcurrentContexts(t *testing.T) {
	shared, turn := mlirtest.Context(t), make(chan struct{}, 1)
	own := []*mlir.Context{mlirtest.Context(t), mlirtest.Context(t)}
	done := make(chan error)
	for _, c := range own {
		go func() {
			for range 1000 {
				turn <- struct{}{}
				_, err := shared.ParseType("tensor<2x?xf32>")
				<-turn
				if err == nil {
					_, err = c.ParseType("tensor<2x?xf32>")
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range own {
		check.Report(t, <-done)
	}
}
