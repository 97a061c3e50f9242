package bridge

import (
	"runtime"

	"github.com/gomlx/gopjrt/pjrt"

	"github.com/calliope-mlir/calliope/c"
)

// XLA's parser and passes recurse once for each level of nesting. A program of up to
// maxShallow bytes cannot be nested too deeply for a common stack; a longer one is compiled
// on a thread of its own with compileStack bytes of stack, which is reserved and not used
// until it is needed, and takes far less time to start than the compile.
const (
	maxShallow   = 4 << 10
	compileStack = 512 << 20
)

func onStackFor(program []byte, compile func() error) (err error) {
	if len(program) <= maxShallow {
		return compile()
	}
	if e := c.OnLargeStack(compileStack, func() { err = compile() }); e != nil {
		return e
	}
	return err
}

// compiled is what XLA made of a module.
type compiled struct {
	loaded  *pjrt.LoadedExecutable
	own     c.Executable // of loaded
	program []byte       // the optimized one, see c.LastProgram
}

// compile compiles on a stack that is large enough. What XLA made is asked for on the
// thread that compiled.
func (p *Plugin) compile(config *pjrt.CompileConfig, program []byte) (made compiled, err error) {
	err = onStackFor(program, func() (err error) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		made.loaded, err = config.Done()
		made.program = p.c.LastProgram()
		made.own = p.c.LastExecutable()
		return err
	})
	return made, err
}
