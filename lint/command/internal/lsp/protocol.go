package lsp

import "encoding/json"

// The types below are the parts of the protocol that the server uses, with the names of the
// protocol. Only what the server writes needs tags: names are read in any case.

type position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// A span is a range, which is a keyword of Go.
type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// overlaps reports whether two ranges have a position in common, their ends included.
func (s span) overlaps(o span) bool { return !s.End.before(o.Start) && !o.End.before(s.Start) }

func (p position) before(q position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

type initializeParams struct {
	Capabilities struct {
		General struct {
			PositionEncodings []encoding
		}
		Workspace struct {
			WorkspaceEdit         struct{ DocumentChanges bool }
			DidChangeWatchedFiles struct{ DynamicRegistration bool }
		}
		TextDocument struct {
			PublishDiagnostics struct{ RelatedInformation bool }
			CodeAction         struct {
				CodeActionLiteralSupport *struct{}
				DataSupport              bool
				DisabledSupport          bool
				ResolveSupport           struct{ Properties []string }
			}
		}
	}
}

type (
	initializeResult struct {
		Capabilities serverCapabilities `json:"capabilities"`
		ServerInfo   serverInfo         `json:"serverInfo"`
	}
	serverInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	serverCapabilities struct {
		PositionEncoding   encoding            `json:"positionEncoding"`
		TextDocumentSync   textDocumentSync    `json:"textDocumentSync"`
		CodeActionProvider *codeActionProvider `json:"codeActionProvider,omitempty"`
	}
	textDocumentSync struct {
		OpenClose bool `json:"openClose"`
		Change    int  `json:"change"`
		Save      bool `json:"save"`
	}
	codeActionProvider struct {
		CodeActionKinds []string `json:"codeActionKinds"`
		ResolveProvider bool     `json:"resolveProvider"`
	}
)

// syncIncremental is the TextDocumentSyncKind of changes that are ranges.
const syncIncremental = 2

type (
	registrationParams struct {
		Registrations []registration `json:"registrations"`
	}
	registration struct {
		ID              string       `json:"id"`
		Method          string       `json:"method"`
		RegisterOptions watchOptions `json:"registerOptions"`
	}
	watchOptions struct {
		Watchers []fileWatcher `json:"watchers"`
	}
	fileWatcher struct {
		GlobPattern string `json:"globPattern"`
	}
)

type (
	didOpenParams struct {
		TextDocument struct {
			URI     string
			Version int32
			Text    string
		}
	}
	didChangeParams struct {
		TextDocument   versionedDocument
		ContentChanges json.RawMessage // each is read alone
	}
	contentChange struct {
		Range *span // nil for the whole text
		Text  string
	}
	documentParams struct {
		TextDocument struct{ URI string }
	}
	versionedDocument struct {
		URI     string `json:"uri"`
		Version int32  `json:"version"`
	}
	cancelParams struct{ ID json.RawMessage }
)

type (
	publishParams struct {
		URI         string       `json:"uri"`
		Version     *int32       `json:"version,omitempty"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	diagnostic struct {
		Range           span             `json:"range"`
		Severity        int              `json:"severity"`
		Code            string           `json:"code"`
		CodeDescription *codeDescription `json:"codeDescription,omitempty"`
		Source          string           `json:"source"`
		Message         string           `json:"message"`
		Related         []related        `json:"relatedInformation,omitempty"`
	}
	related struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	codeDescription struct {
		Href string `json:"href"`
	}
	showMessageParams struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
	}
)

// messageError is the MessageType of errors.
const messageError = 1

type (
	codeActionParams struct {
		TextDocument struct{ URI string }
		Range        span
		Context      struct{ Only []string }
	}
	codeAction struct {
		Title       string         `json:"title"`
		Kind        string         `json:"kind"`
		Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
		IsPreferred bool           `json:"isPreferred,omitempty"`
		Disabled    *disabled      `json:"disabled,omitempty"`
		Edit        *workspaceEdit `json:"edit,omitempty"`
		Data        *repairData    `json:"data,omitempty"`
	}
	disabled struct {
		Reason string `json:"reason"`
	}
	// A repairData is what the server needs to resolve an action.
	repairData struct {
		versionedDocument
		Rule    string `json:"rule"`              // "" for all
		Finding *int   `json:"finding,omitempty"` // its number, if it is to be repaired alone
	}
	workspaceEdit struct {
		Changes         map[string][]textEdit `json:"changes,omitempty"`
		DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
	}
	documentEdit struct {
		TextDocument versionedDocument `json:"textDocument"`
		Edits        []textEdit        `json:"edits"`
	}
	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
)
