package lsp

import (
	"context"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"
)

// The codes of errors that the protocol adds to those of JSON-RPC.
const (
	codeNotInitialized jrpc2.Code = -32002
	codeFailed         jrpc2.Code = -32803
	codeModified       jrpc2.Code = -32801
	codeCancelled      jrpc2.Code = -32800
)

// methods returns the methods of the server. Notifications are handled one after the other, and
// before requests that come after them.
func (s *server) methods() handler.Map {
	return handler.Map{
		"initialize":                      request(s, fresh, s.initialize),
		"initialized":                     notification(s, s.initialized),
		"shutdown":                        request(s, running, s.shutdown),
		"exit":                            s.exit,
		"$/cancelRequest":                 notification(s, s.cancel),
		"textDocument/didOpen":            notification(s, s.didOpen),
		"textDocument/didChange":          notification(s, s.didChange),
		"textDocument/didSave":            notification(s, s.didSave),
		"textDocument/didClose":           notification(s, s.didClose),
		"workspace/didChangeWatchedFiles": notification(s, s.didChangeWatchedFiles),
		"textDocument/codeAction":         request(s, running, s.codeActions),
		"codeAction/resolve":              request(s, running, s.resolve),
	}
}

// request returns the handler of a request that is allowed in one phase.
func request[P, R any](s *server, in phase, f func(context.Context, P) (R, error)) jrpc2.Handler {
	return func(ctx context.Context, r *jrpc2.Request) (any, error) {
		s.mu.Lock()
		now := s.phase
		s.mu.Unlock()
		switch {
		case now == in:
		case now == fresh:
			return nil, jrpc2.Errorf(codeNotInitialized, "%s comes before initialize", r.Method())
		case now == running:
			return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "%s comes a second time", r.Method())
		default:
			return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "%s comes after shutdown", r.Method())
		}
		var p P
		if err := r.UnmarshalParams(&p); err != nil {
			return nil, err
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s.cancels.Store(r.ID(), cancel)
		defer s.cancels.Delete(r.ID())
		result, err := f(ctx, p)
		if err != nil && ctx.Err() != nil {
			return nil, jrpc2.Errorf(codeCancelled, "%s was cancelled", r.Method())
		}
		return result, err
	}
}

// notification returns the handler of a notification. It has no answer, so errors are logged.
func notification[P any](s *server, f func(P) error) jrpc2.Handler {
	return func(_ context.Context, r *jrpc2.Request) (any, error) {
		s.mu.Lock()
		now := s.phase
		s.mu.Unlock()
		if now != running {
			return nil, nil
		}
		var p P
		err := r.UnmarshalParams(&p)
		if err == nil {
			err = f(p)
		}
		if err != nil {
			s.Log.Printf("%s: %v", r.Method(), err)
		}
		return nil, nil
	}
}

func (s *server) exit(context.Context, *jrpc2.Request) (any, error) {
	s.mu.Lock()
	s.phase = down
	s.mu.Unlock()
	s.end(nil)
	return nil, nil
}

// cancel ends a request. jrpc2's own way answers a request that has not begun with a code that is not
// the protocol's.
func (s *server) cancel(p cancelParams) error {
	if cancel, ok := s.cancels.Load(string(p.ID)); ok {
		cancel.(context.CancelFunc)()
	}
	return nil
}
