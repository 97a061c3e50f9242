package lsp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"slices"
	"sync"

	"github.com/creachadair/jrpc2"

	"github.com/calliope-mlir/calliope/lint/finding"
)

// A Linter checks documents. Several goroutines call its methods at once, which return the error of
// the context soon after that ends.
type Linter interface {
	// Check returns the findings of a document, whose name is its path, or its URI if it has none. With resolve, a
	// finding of an earlier check of the text, the repair of this finding has its edits, which takes longer. The
	// findings are the same.
	Check(ctx context.Context, name, text string, resolve *finding.Finding) ([]finding.Finding, error)
	// Repair returns the text after the repairs of a rule's findings, or of all if the rule is "".
	// If that is not possible, or not all can be repaired, the error says why.
	Repair(ctx context.Context, name, text, rule string) (string, error)
	// Stop is called once, when the connection has ended. Calls that are under way should return.
	Stop()
}

// Options are the options of a server.
type Options struct {
	Linter Linter
	// Link returns the address of the documentation of a rule, or "".
	Link func(rule string) string
	// Config is the base name of the files that configure the linter. If one changes, all documents
	// are checked again. The linter reads them itself.
	Config  string
	Version string // of the server
	Log     *log.Logger
}

// ErrNoShutdown is the error of a connection that ends without the request shutdown.
var ErrNoShutdown = errors.New("the client ended without the request shutdown")

// Serve serves one client until it sends the notification exit or closes the connection.
func Serve(ctx context.Context, r io.Reader, w io.Writer, o Options) error {
	ctx, end := context.WithCancelCause(ctx)
	s := &server{Options: o, ctx: ctx, end: end, documents: map[string]*document{}}
	s.rpc = jrpc2.NewServer(s.methods(), &jrpc2.ServerOptions{
		AllowPush:      true,
		DisableBuiltin: true,
		Concurrency:    manyRequests,
		NewContext:     func() context.Context { return ctx },
	})
	s.rpc.Start(framing{bufio.NewReader(r), w}) // methods use s.rpc
	// After exit, the reader of the connection may wait for more until the process ends.
	go func() { end(s.rpc.Wait()) }()
	<-ctx.Done()
	s.Linter.Stop()
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := context.Cause(ctx); {
	case s.shut:
		return nil
	case err != context.Canceled:
		return err
	}
	return ErrNoShutdown
}

// manyRequests is how many requests may wait for checks while others are served.
const manyRequests = 1000

// A server serves one client.
type server struct {
	Options
	ctx  context.Context // of everything that the server does
	end  context.CancelCauseFunc
	rpc  *jrpc2.Server
	work sync.WaitGroup // goroutines

	cancels sync.Map // context.CancelFunc, by the id of the request

	mu        sync.Mutex
	phase     phase
	shut      bool // shutdown came
	client    client
	documents map[string]*document // the open ones, by URI
}

// A phase is the state of the connection.
type phase int

const (
	fresh phase = iota
	running
	down // after shutdown or exit
)

// A client is what the client supports.
type client struct {
	encoding  encoding
	versioned bool // edits that name the version of the document
	watch     bool // the registration of files to watch
	actions   bool // code actions, beside commands
	resolve   bool // edits of code actions on demand
	disabled  bool // code actions that cannot be applied
	related   bool // places beside that of a diagnostic
}

func clientOf(p initializeParams) client {
	c := p.Capabilities
	action := c.TextDocument.CodeAction
	e := utf16Units
	if slices.Contains(c.General.PositionEncodings, utf8Units) {
		e = utf8Units
	}
	return client{
		encoding:  e,
		versioned: c.Workspace.WorkspaceEdit.DocumentChanges,
		watch:     c.Workspace.DidChangeWatchedFiles.DynamicRegistration,
		actions:   action.CodeActionLiteralSupport != nil,
		resolve:   action.DataSupport && slices.Contains(action.ResolveSupport.Properties, "edit"),
		disabled:  action.DisabledSupport,
		related:   c.TextDocument.PublishDiagnostics.RelatedInformation,
	}
}

func (s *server) initialize(_ context.Context, p initializeParams) (initializeResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client, s.phase = clientOf(p), running
	c := serverCapabilities{
		PositionEncoding: s.client.encoding,
		TextDocumentSync: textDocumentSync{OpenClose: true, Change: syncIncremental, Save: true},
	}
	if s.client.actions {
		c.CodeActionProvider = &codeActionProvider{[]string{quickFix, fixAll}, s.client.resolve}
	}
	return initializeResult{c, serverInfo{"mlir-lint", s.Version}}, nil
}

// initialized asks the client to watch the configurations.
func (s *server) initialized(struct{}) error {
	if !s.client.watch {
		return nil
	}
	const method = "workspace/didChangeWatchedFiles"
	watchers := watchOptions{[]fileWatcher{{"**/" + s.Config}}}
	s.work.Go(func() { // the answer may come after other notifications
		if _, err := s.rpc.Callback(s.ctx, "client/registerCapability",
			registrationParams{[]registration{{method, method, watchers}}}); err != nil && s.ctx.Err() == nil {
			s.Log.Printf("the client does not watch %s: %v", s.Config, err)
		}
	})
	return nil
}

func (s *server) shutdown(context.Context, struct{}) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase, s.shut = down, true
	for _, d := range s.documents {
		d.stop()
	}
	return nil, nil
}

// notify sends a notification.
func (s *server) notify(method string, params any) {
	if err := s.rpc.Notify(s.ctx, method, params); err != nil && s.ctx.Err() == nil {
		s.Log.Printf("sending %s: %v", method, err)
	}
}
