package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"testing"

	"github.com/creachadair/jrpc2/channel"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command/internal/lsp"
)

// TestPhases checks messages at the wrong time.
func TestPhases(t *testing.T) {
	s := start(t)
	s.Open("a:a", "old")
	check.Error(t, s.Call("shutdown", nil, nil), "[-32002] shutdown comes before initialize")
	s.Initialize(plain)
	check.Error(t, s.Call("initialize", M{}, nil), "[-32600] initialize comes a second time")
	check.Error(t, s.Call("textDocument/hover", M{}, nil), "[-32601]")
	check.Error(t, s.Call("rpc.serverInfo", nil, nil), "[-32601]")
	check.Error(t, s.Call("textDocument/codeAction", []int{1}, nil), "[-32602]")
	check.Error(t, s.Call("textDocument/codeAction", M{"textDocument": M{"uri": "a:a"}}, nil),
		`[-32602] the document "a:a" is not open`)
	check.Error(t, s.Call("textDocument/codeAction", M{"range": M{"start": M{"line": -1}}}, nil), "[-32602]")
	s.Must("shutdown", nil, nil)
	s.Open("a:a", "old")
	check.Error(t, s.Call("shutdown", nil, nil), "[-32600] shutdown comes after shutdown")
	s.Notify("exit", nil)
	check.NoError(t, s.Ended())
	s.Quiet()
}

// TestBadNotifications checks that bad notifications are logged, and that others go on.
func TestBadNotifications(t *testing.T) {
	s := start(t)
	s.Initialize(plain)
	s.Notify("$/unknown", M{})
	s.Notify("$/cancelRequest", M{"id": 77})
	s.Close("a:none")
	s.Change("a:none", 1, M{"text": "x"})
	s.Notify("textDocument/didOpen", M{"textDocument": 3})
	s.Open("a:a", "old")
	s.wantCodes(t, 1, "old")
	at := func(line, character, endLine, endCharacter int) M {
		return M{"start": M{"line": line, "character": character},
			"end": M{"line": endLine, "character": endCharacter}}
	}
	s.Change("a:a", 2, M{"text": "ld whole", "range": at(0, 1, 9, 0)})
	s.wantCodes(t, 2, "old", "whole")
	for i, bad := range []any{
		[]M{{"text": "x", "range": at(-1, 0, 0, 0)}},
		[]M{{"text": "x", "range": at(0, 0, 0, 1<<32)}},
		[]M{{"text": 3, "range": at(0, 0, 0, 0)}},
		[]M{{"text": "whole"}, {"text": "x", "range": 7}, {"text": "stuck", "range": at(0, 0, 0, 0)}},
		M{"text": "x"},
	} {
		version := int32(10 * (i + 1))
		s.Notify("textDocument/didChange",
			M{"textDocument": M{"uri": "a:a", "version": version}, "contentChanges": bad})
		s.wantCodes(t, 0) // the text is not known
		if m := s.Message(); !strings.Contains(m, "mlir-lint does not check a:a") || !strings.Contains(m, "json: ") {
			t.Errorf("the message is %s", m)
		}
		s.Change("a:a", int(version)+1, M{"text": "old", "range": at(0, 0, 0, 0)})
		s.Save("a:a")
		check.Diff(t, "actions", 0, len(s.Actions("a:a", 0, 0)))
		s.Quiet()
		if i%2 == 0 {
			s.Change("a:a", int(version)+2, M{"text": "ol"}, M{"text": "d", "range": at(0, 2, 0, 2)})
			s.wantCodes(t, version+2, "old")
		} else {
			s.Open("a:a", "whole")
			s.wantCodes(t, 1, "whole")
		}
	}
	s.end(t)
	for _, want := range []string{
		`textDocument/didClose: [-32602] the document "a:none" is not open`, "textDocument/didChange: [-32602]",
		"textDocument/didOpen: [-32602] invalid parameters", "textDocument/didChange: json: ",
	} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("%q is not in the log:\n%s", want, s.log)
		}
	}
}

func TestCancel(t *testing.T) {
	s := start(t)
	s.Initialize(plain)
	s.Open("a:a", "hang")
	<-s.hung
	failed := make(chan error)
	go func() {
		failed <- s.Call("textDocument/codeAction", M{"textDocument": M{"uri": "a:a"}, "context": M{}}, nil)
	}()
	// Requests have numbers: initialize is 1. Until the request has come, there is nothing to cancel.
	for err := error(nil); err == nil; {
		s.Notify("$/cancelRequest", M{"id": 2})
		select {
		case err = <-failed:
			check.Error(t, err, "[-32800] textDocument/codeAction was cancelled")
		default:
		}
	}
	s.end(t)
}

func TestExit(t *testing.T) {
	s := start(t)
	s.Initialize(plain)
	s.Notify("exit", nil)
	if err := s.Ended(); !errors.Is(err, lsp.ErrNoShutdown) {
		t.Errorf("the error is %v", err)
	}
}

// serve serves a client that sends some bytes, waits for the last of the answers, and ends.
func serve(t *testing.T, input string, answers int) (last string, err error) {
	r, send := io.Pipe()
	receive, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- lsp.Serve(context.Background(), r, w, lsp.Options{Linter: words{}, Log: log.New(io.Discard, "", 0)})
		r.Close()
		w.Close()
	}()
	go func() { // the server may stop before the end
		_, _ = io.WriteString(send, input)
		if answers == 0 {
			send.Close()
		}
	}()
	c := channel.LSP(receive, send)
	for range answers {
		message, err := c.Recv()
		check.NoError(t, err)
		last = string(message)
	}
	if answers > 0 {
		send.Close()
	}
	if rest, _ := io.ReadAll(receive); len(rest) > 0 {
		t.Errorf("the server also sent %s", rest)
	}
	return last, <-ended
}

func TestGarbage(t *testing.T) {
	message := func(body string) string {
		return fmt.Sprintf("Content-Type: application/vscode-jsonrpc; charset=utf8\r\ncontent-length:%d\r\n\r\n%s",
			len(body), body)
	}
	for _, test := range []struct {
		name, input     string
		answers         int
		answer, failure string
	}{
		{"nothing", "", 0, "", "without the request shutdown"},
		{"a header", "Content-Length: 3", 0, "", "without the request shutdown"},
		{"text", "func.func @f()\n", 0, "", "the input is not the Language Server Protocol"},
		{"no length", "A: b\r\n\r\n", 0, "", `the Content-Length of a message is ""`},
		{"a negative length", "Content-Length: -1\r\n\r\n", 0, "", `the Content-Length of a message is "-1"`},
		{"a short message", "Content-Length: 99999999999999\r\n\r\n{}", 0, "",
			"the input ended after 2 of the 99999999999999 bytes"},
		{"no JSON", message("{"), 1, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`,
			"without the request shutdown"},
		{"no request", message("3"), 1, `"code":-32700`, "without the request shutdown"},
		{"another version", message(`{"jsonrpc":"1.0","id":1,"method":"shutdown"}`), 1, `"id":1,"error":{"code":-32600`,
			"without the request shutdown"},
		{"an empty batch", message("[]"), 1, `"code":-32600`, "without the request shutdown"},
		{"deep", message(strings.Repeat("[", 100000)), 1, `"code":-32700`, "without the request shutdown"},
		{"no name", message(`{"jsonrpc":"2.0","id":1,"method":""}`), 1, `"code":-32600`,
			"without the request shutdown"},
		{"after garbage", message("x") + message(`{"jsonrpc":"2.0","id":"a","method":"shutdown"}`), 2,
			`"id":"a","error":{"code":-32002`, "without the request shutdown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer, err := serve(t, test.input, test.answers)
			check.Error(t, err, test.failure)
			if !strings.Contains(answer, test.answer) {
				t.Errorf("the answer is %s", answer)
			}
		})
	}
}

// A broken writer is a client that reads no more.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestNoReader(t *testing.T) {
	var input, logged strings.Builder
	for _, m := range []string{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","method":"exit"}`} {
		fmt.Fprintf(&input, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	err := lsp.Serve(context.Background(), strings.NewReader(input.String()), broken{},
		lsp.Options{Linter: words{}, Log: log.New(&logged, "", 0)})
	check.Error(t, err, "without the request shutdown")
}
