package bridge

import "log/slog"

// logError logs what there is nobody to return to, on a goroutine of its own: a log
// handler is anybody's, and may block or panic.
func logError(message string, args ...any) {
	go func() {
		defer func() { _ = recover() }() // the line is lost
		slog.Error(message, args...)
	}()
}
