package mutants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
)

// An editor is a client of the language server.
type editor struct {
	*jrpc2.Client
	versions chan int      // of documents whose diagnostics are published, or 0
	gone     chan struct{} // closed when the server has ended
}

type object = map[string]any

// documents opens each text in the language server, changes some of them, asks for repairs, and
// closes them.
func (b *batch) documents(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.linter, "lsp", "-config", os.DevNull, "-timeout", fileLimit.String())
	cmd.WaitDelay = exitLimit
	inGroup(cmd)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	to, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	e := &editor{versions: make(chan int, 100), gone: make(chan struct{})}
	e.Client = jrpc2.NewClient(channel.LSP(from, to), &jrpc2.ClientOptions{OnNotify: e.notified,
		OnStop: func(*jrpc2.Client, error) { close(e.gone) }})
	err = errors.Join(e.session(ctx, b), e.Close(), cmd.Wait(), ctx.Err(), alone(cmd, exitLimit))
	for line := range strings.Lines(stderr.String()) {
		if !strings.Contains(line, ": textDocument/didChange: ") { // a change that does not fit
			err = errors.Join(err, fmt.Errorf("the server printed %q", line))
		}
	}
	return err
}

func (e *editor) session(ctx context.Context, b *batch) error {
	begun := time.Now()
	client := object{"processId": nil, "rootUri": nil, "capabilities": object{}}
	if _, err := e.Call(ctx, "initialize", client); err != nil {
		return err
	}
	if err := e.Notify(ctx, "initialized", object{}); err != nil {
		return err
	}
	for path, in := range b.inputs {
		if !in.seed.isText() || time.Since(begun) > runLimit/2 {
			continue
		}
		if err := e.document(ctx, b, in); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		b.tally.count(&b.tally.documents, 1)
	}
	if _, err := e.Call(ctx, "shutdown", nil); err != nil {
		return err
	}
	return e.Notify(ctx, "exit", nil)
}

// document opens and closes one document. A change of a random range may not fit, which the
// server says.
func (e *editor) document(ctx context.Context, b *batch, in input) error {
	const uri = "file:///mutant.mlir"
	place := func() object { return object{"line": b.IntN(20), "character": b.IntN(40)} }
	id := object{"uri": uri, "version": 1, "languageId": "mlir", "text": string(in.data)}
	if err := e.publishes(ctx, "textDocument/didOpen", object{"textDocument": id}, 1); err != nil {
		return err
	}
	if _, err := e.Call(ctx, "textDocument/codeAction", object{"textDocument": id,
		"context": object{"diagnostics": []any{}}, "range": object{"start": object{"line": 0, "character": 0},
			"end": object{"line": 10000, "character": 0}}}); err != nil {
		return err
	}
	if b.IntN(40) == 0 {
		change := object{"range": object{"start": place(), "end": place()}, "text": pick(b.mutator, pieces)}
		id["version"] = 2
		return e.publishes(ctx, "textDocument/didChange",
			object{"textDocument": id, "contentChanges": []any{change}}, 2)
	}
	return e.publishes(ctx, "textDocument/didClose", object{"textDocument": id}, 0)
}

// publishes sends a notification, and waits for the diagnostics of a version, or for those of a document that is
// forgotten.
func (e *editor) publishes(ctx context.Context, method string, params object, version int) error {
	if err := e.Notify(ctx, method, params); err != nil {
		return err
	}
	for {
		select {
		case v := <-e.versions:
			if v == 0 || v == version {
				return nil
			}
		case <-e.gone:
			return errors.New("the server ended")
		}
	}
}

func (e *editor) notified(r *jrpc2.Request) {
	var p struct{ Version int }
	if err := r.UnmarshalParams(&p); err == nil && r.Method() == "textDocument/publishDiagnostics" {
		e.versions <- p.Version
	}
}
