// Package lsptest is a client of language servers for tests.
package lsptest

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
)

// M is an object of JSON.
type M = map[string]any

// A Client is a client of one server. Failures stop the test.
type Client struct {
	t         testing.TB
	rpc       *jrpc2.Client
	published chan Published
	messages  chan string
	calls     chan string
	ended     chan error
}

// Published is a publishDiagnostics.
type Published struct {
	URI         string
	Version     *int32
	Diagnostics []Diagnostic
}

// A Diagnostic is one finding.
type Diagnostic struct {
	Range           Range
	Severity        int
	Code            string
	CodeDescription struct{ Href string }
	Source          string
	Message         string

	RelatedInformation []struct {
		Location struct {
			URI   string
			Range Range
		}
		Message string
	}
}

// A Range is a range, its end excluded.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// A Position counts from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// An Action is a code action.
type Action struct {
	Title       string
	Kind        string
	Diagnostics []Diagnostic
	Disabled    *struct{ Reason string }
	Edit        *WorkspaceEdit
	Data        any
}

// A WorkspaceEdit has edits in one of two forms.
type WorkspaceEdit struct {
	Changes         map[string][]Edit
	DocumentChanges []struct {
		TextDocument struct {
			URI     string
			Version int32
		}
		Edits []Edit
	}
}

// An Edit replaces a range.
type Edit struct {
	Range   Range
	NewText string
}

// wait is how long a client waits for the server.
const wait = time.Minute

// Start starts a server and connects a client. The server reads until the test ends.
func Start(t testing.TB, serve func(r io.Reader, w io.Writer) error) *Client {
	requests, toServer := io.Pipe()
	fromServer, answers := io.Pipe()
	c := &Client{t: t, published: make(chan Published, 100), messages: make(chan string, 100),
		calls: make(chan string, 100), ended: make(chan error, 1)}
	go func() { c.ended <- serve(requests, answers); answers.Close() }()
	c.rpc = jrpc2.NewClient(channel.LSP(fromServer, toServer), &jrpc2.ClientOptions{
		OnNotify: c.notified,
		OnCallback: func(_ context.Context, r *jrpc2.Request) (any, error) {
			c.calls <- r.Method() + " " + r.ParamString()
			return nil, nil
		},
	})
	t.Cleanup(func() { c.rpc.Close() })
	return c
}

func (c *Client) notified(r *jrpc2.Request) {
	var p Published
	switch err := r.UnmarshalParams(&p); {
	case err != nil:
		c.messages <- err.Error()
	case r.Method() == "textDocument/publishDiagnostics":
		c.published <- p
	default:
		c.messages <- r.ParamString()
	}
}

// Initialize sends the two messages of the start. The capabilities are JSON.
func (c *Client) Initialize(capabilities M) (result M) {
	c.t.Helper()
	c.Must("initialize", M{"processId": nil, "rootUri": nil, "capabilities": capabilities}, &result)
	c.Notify("initialized", M{})
	return result
}

// Call sends a request and returns the error of the answer. result may be nil.
func (c *Client) Call(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(c.t.Context(), wait)
	defer cancel()
	r, err := c.rpc.Call(ctx, method, params)
	if err != nil || result == nil {
		return err
	}
	return r.UnmarshalResult(result)
}

// Must is Call without an error.
func (c *Client) Must(method string, params, result any) {
	c.t.Helper()
	if err := c.Call(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) {
	c.t.Helper()
	if err := c.rpc.Notify(c.t.Context(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// Open opens a document, as its version 1.
func (c *Client) Open(uri, text string) {
	c.t.Helper()
	c.Notify("textDocument/didOpen", M{"textDocument": M{"uri": uri, "languageId": "mlir", "version": 1, "text": text}})
}

// Change replaces parts of a document, or all of it if a change has no range.
func (c *Client) Change(uri string, version int, changes ...M) {
	c.t.Helper()
	c.Notify("textDocument/didChange", M{"textDocument": M{"uri": uri, "version": version}, "contentChanges": changes})
}

// Save tells that a document was saved.
func (c *Client) Save(uri string) {
	c.t.Helper()
	c.Notify("textDocument/didSave", M{"textDocument": M{"uri": uri}})
}

// Close closes a document.
func (c *Client) Close(uri string) {
	c.t.Helper()
	c.Notify("textDocument/didClose", M{"textDocument": M{"uri": uri}})
}

// Actions requests the code actions at a position, of some kinds or all.
func (c *Client) Actions(uri string, line, character int, only ...string) (actions []Action) {
	c.t.Helper()
	context := M{"diagnostics": []any{}}
	if only != nil {
		context["only"] = only
	}
	at := Position{line, character}
	c.Must("textDocument/codeAction", M{"textDocument": M{"uri": uri}, "range": Range{at, at}, "context": context},
		&actions)
	return actions
}

// Published returns the next diagnostics.
func (c *Client) Published() Published { c.t.Helper(); return next(c.t, c.published) }

// Message returns the next message.
func (c *Client) Message() string { c.t.Helper(); return next(c.t, c.messages) }

// Called returns the next request of the server.
func (c *Client) Called() string { c.t.Helper(); return next(c.t, c.calls) }

// Ended returns what the server returned.
func (c *Client) Ended() error { c.t.Helper(); return next(c.t, c.ended) }

func next[T any](t testing.TB, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(wait):
		t.Fatalf("no %T came", v)
	}
	return v
}

// Quiet fails if diagnostics were published that the test has not taken.
func (c *Client) Quiet() {
	c.t.Helper()
	select {
	case p := <-c.published:
		c.t.Errorf("published too much: %+v", p)
	default:
	}
}

// Apply returns a text after edits, whose positions count UTF-16.
func Apply(text string, edits []Edit) string {
	lines := strings.SplitAfter(text, "\n")
	offset := func(p Position) (n int) {
		for _, line := range lines[:p.Line] {
			n += len(line)
		}
		if p.Line == len(lines) {
			return n
		}
		return n + len(string(utf16.Decode(utf16.Encode([]rune(lines[p.Line]))[:p.Character])))
	}
	for i := len(edits) - 1; i >= 0; i-- { // the server sends them in order
		begin, end := offset(edits[i].Range.Start), offset(edits[i].Range.End)
		text = text[:begin] + edits[i].NewText + text[end:]
	}
	return text
}
