package mutants

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// An editor is a client of the language server.
type editor struct {
	to   io.WriteCloser
	from *bufio.Reader
	last int // number of the last request
}

// A message is a message of the server.
type message struct {
	ID     *int
	Method string
	Params struct {
		URI     string
		Version *int
	}
	Error *struct{ Message string }
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
	e := &editor{to: to, from: bufio.NewReader(from)}
	err = e.session(b)
	err = errors.Join(err, to.Close(), cmd.Wait(), ctx.Err(), alone(cmd, exitLimit))
	for line := range strings.Lines(stderr.String()) {
		if !strings.Contains(line, ": textDocument/didChange: ") { // a change that does not fit
			err = errors.Join(err, fmt.Errorf("the server printed %q", line))
		}
	}
	return err
}

func (e *editor) session(b *batch) error {
	begun := time.Now()
	if _, err := e.call("initialize", object{"processId": nil, "rootUri": nil, "capabilities": object{}}); err != nil {
		return err
	}
	if err := e.send(object{"method": "initialized", "params": object{}}); err != nil {
		return err
	}
	for path, in := range b.inputs {
		if !in.seed.isText() || time.Since(begun) > runLimit/2 {
			continue
		}
		if err := e.document(b, in); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		b.tally.count(&b.tally.documents, 1)
	}
	if _, err := e.call("shutdown", nil); err != nil {
		return err
	}
	return e.send(object{"method": "exit"})
}

// document opens and closes one document. A change of a random range may not fit, which the
// server says.
func (e *editor) document(b *batch, in input) error {
	const uri = "file:///mutant.mlir"
	place := func() object { return object{"line": b.IntN(20), "character": b.IntN(40)} }
	id := object{"uri": uri, "version": 1, "languageId": "mlir", "text": string(in.data)}
	if err := e.send(object{"method": "textDocument/didOpen", "params": object{"textDocument": id}}); err != nil {
		return err
	}
	if err := e.published(1); err != nil {
		return err
	}
	if _, err := e.call("textDocument/codeAction", object{"textDocument": id, "context": object{"diagnostics": []any{}},
		"range": object{"start": object{"line": 0, "character": 0},
			"end": object{"line": 10000, "character": 0}}}); err != nil {
		return err
	}
	if b.IntN(40) == 0 {
		change := object{"range": object{"start": place(), "end": place()}, "text": pick(b.mutator, pieces)}
		id["version"] = 2
		if err := e.send(object{"method": "textDocument/didChange",
			"params": object{"textDocument": id, "contentChanges": []any{change}}}); err != nil {
			return err
		}
		return e.published(2)
	}
	if err := e.send(object{"method": "textDocument/didClose", "params": object{"textDocument": id}}); err != nil {
		return err
	}
	return e.published(0)
}

func (e *editor) send(m object) error {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.to, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// call sends a request and reads up to its answer.
func (e *editor) call(method string, params any) (message, error) {
	e.last++
	if err := e.send(object{"id": e.last, "method": method, "params": params}); err != nil {
		return message{}, err
	}
	for {
		m, err := e.read()
		if err != nil {
			return m, fmt.Errorf("%s: %w", method, err)
		}
		if m.ID != nil && *m.ID == e.last {
			if m.Error != nil {
				return m, fmt.Errorf("%s: %s", method, m.Error.Message)
			}
			return m, nil
		}
	}
}

// published reads up to the diagnostics of a version, or to those of a document that is forgotten.
func (e *editor) published(version int) error {
	for {
		m, err := e.read()
		if err != nil {
			return err
		}
		if m.Method == "textDocument/publishDiagnostics" && (m.Params.Version == nil || *m.Params.Version == version) {
			return nil
		}
	}
}

func (e *editor) read() (m message, err error) {
	header, err := textproto.NewReader(e.from).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(e.from, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}
