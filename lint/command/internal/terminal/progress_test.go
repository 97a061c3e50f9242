package terminal

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fakeTerminal is a terminal that can be read while it is written.
type fakeTerminal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (f *fakeTerminal) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.b.Write(b)
}

func (f *fakeTerminal) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.b.String()
}

func (*fakeTerminal) Width() int { return 80 }

// TestProgress checks that the progress is shown after a while, and removed before other output.
func TestProgress(t *testing.T) {
	var w fakeTerminal
	p := NewProgress(&w, 7, time.Millisecond)
	p.Checked()
	for !strings.HasSuffix(w.String(), "\r1 of 7 files checked\x1b[K") {
		time.Sleep(time.Millisecond)
	}
	if err := p.Around(func() error { _, err := w.Write([]byte("a finding\n")); return err }); err != nil {
		t.Fatal(err)
	}
	p.End()
	if got := w.String(); !strings.Contains(got, "\r\x1b[Ka finding\n") {
		t.Errorf("the terminal got %q", got)
	}
	var quiet fakeTerminal
	NewProgress(&quiet, 7, time.Hour).End()
	NewProgress(new(bytes.Buffer), 7, 0).End()
	if quiet.String() != "" {
		t.Errorf("a short run showed %q", quiet.String())
	}
}
