package bridge

import "log/slog"

// logError logs an error that has no caller to return to. It uses a new goroutine, because
// a log handler may block or panic.
func logError(message string, args ...any) {
	go func() {
		defer func() { _ = recover() }() // the line is lost
		slog.Error(message, args...)
	}()
}
