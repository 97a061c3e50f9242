package bridge

import "log/slog"

func (c *Client) logger() *slog.Logger {
	if c.options.Logger != nil {
		return c.options.Logger
	}
	return slog.Default()
}

// logError logs an error that has no caller to return to. It uses a new goroutine, because
// a log handler may block or panic.
func (c *Client) logError(message string, args ...any) {
	go func() {
		defer func() { _ = recover() }() // the line is lost
		c.logger().Error(message, args...)
	}()
}
