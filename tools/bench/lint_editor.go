package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
)

// An editorSession is a client of mlir-lint lsp with one document.
type editorSession struct {
	cmd     *exec.Cmd
	in      io.Closer
	rpc     *jrpc2.Client
	version int
}

type object = map[string]any

const editorURI = "file:///bench/large.mlir"

// openEditor starts a server, and opens a document.
func openEditor(ctx context.Context, lint, text string) (*editorSession, error) {
	cmd := exec.CommandContext(ctx, lint, "lsp")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	e := &editorSession{cmd: cmd, in: in, version: 1,
		rpc: jrpc2.NewClient(channel.LSP(out, in), &jrpc2.ClientOptions{OnNotify: func(*jrpc2.Request) {}})}
	_, err = e.rpc.Call(ctx, "initialize", object{"capabilities": object{"textDocument": object{"codeAction": object{
		"codeActionLiteralSupport": object{}, "dataSupport": true, "resolveSupport": object{"properties": []string{"edit"}},
	}}}})
	if err != nil {
		return nil, err
	}
	return e, errors.Join(e.rpc.Notify(ctx, "initialized", object{}), e.rpc.Notify(ctx, "textDocument/didOpen",
		object{"textDocument": object{"uri": editorURI, "languageId": "mlir", "version": 1, "text": text}}))
}

// edit inserts a space at the start of a line, and asks for the code actions at another one. It returns how long the
// answer takes.
func (e *editorSession) edit(ctx context.Context, at, actions int) (time.Duration, error) {
	e.version++
	place := func(line, character int) object {
		p := object{"line": line, "character": character}
		return object{"start": p, "end": p}
	}
	begun := time.Now()
	err := e.rpc.Notify(ctx, "textDocument/didChange", object{
		"textDocument":   object{"uri": editorURI, "version": e.version},
		"contentChanges": []object{{"range": place(at, 1), "text": " "}},
	})
	if err != nil {
		return 0, err
	}
	answer, err := e.rpc.Call(ctx, "textDocument/codeAction", object{"textDocument": object{"uri": editorURI},
		"range": place(actions, 9), "context": object{"diagnostics": []object{}}})
	if err != nil {
		return 0, err
	}
	took := time.Since(begun)
	var got []struct {
		Title string
		Edit  json.RawMessage
	}
	if err := answer.UnmarshalResult(&got); err != nil {
		return 0, err
	}
	if len(got) == 0 || !strings.HasPrefix(got[0].Title, "set output_operand_aliases") {
		return 0, fmt.Errorf("the code actions of line %d are %+v", actions, got)
	}
	return took, nil
}

// close ends the server.
func (e *editorSession) close(ctx context.Context) error {
	_, err := e.rpc.Call(ctx, "shutdown", nil)
	return errors.Join(err, e.rpc.Notify(ctx, "exit", nil), e.in.Close(), e.cmd.Wait())
}

// lintEdit measures an edit of a file of 100,000 lines: the time until the editor has the code actions of a line.
func lintEdit(ctx context.Context, s settings, lint string) (milliseconds float64, err error) {
	text := string(lintModule(0, 100_000))
	flawed := "func.func @flawed(%x: tensor<f32>) -> tensor<f32> {\n" +
		`  %p = stablehlo.custom_call @calliope_passthrough(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "passthrough", callback = "see"}} : (tensor<f32>) -> tensor<f32>` +
		"\n  return %p : tensor<f32>\n}\n"
	e, err := openEditor(ctx, lint, text+flawed)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, e.close(ctx)) }()
	line := strings.Count(text, "\n") + 1
	least := time.Hour
	for range s.repeat + 1 { // the first one waits for the document, too
		took, err := e.edit(ctx, line/2, line)
		if err != nil {
			return 0, err
		}
		least = min(least, took)
	}
	return float64(least.Microseconds()) / 1e3, nil
}
