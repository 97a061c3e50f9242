package bridge

import (
	"runtime"

	"github.com/gomlx/gopjrt/pjrt"

	"github.com/calliope-mlir/calliope/c"
	"github.com/calliope-mlir/calliope/internal/stack"
)

// maxShallow is how long a program may be for the common stack. XLA's parser and passes
// recurse once for each level of nesting, and one of this size cannot be nested too deeply.
const maxShallow = 4 << 10

// onStackFor calls compile on a stack that is large enough for the program. To start a
// thread for it takes far less time than a compile.
func onStackFor(program []byte, compile func() error) (err error) {
	if len(program) <= maxShallow {
		return compile()
	}
	if e := stack.OnLarge(func() { err = compile() }); e != nil {
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
