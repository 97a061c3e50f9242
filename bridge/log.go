package bridge

import (
	"context"
	"log/slog"
)

func (c *Client) logger() *slog.Logger {
	if c.options.Logger != nil {
		return c.options.Logger
	}
	return slog.Default()
}

// log logs an error that has no caller to return to, or a warning. It uses a new goroutine, because
// a log handler may block or panic.
func (c *Client) log(level slog.Level, message string, args ...any) {
	go func() {
		defer func() { _ = recover() }() // the line is lost
		c.logger().Log(context.Background(), level, message, args...)
	}()
}

// logError logs an error that has no caller to return to.
func (c *Client) logError(message string, args ...any) { c.log(slog.LevelError, message, args...) }
