package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.MLIR, native.PJRTPlugin) }

func TestPredict(t *testing.T) {
	model, err := calliope.LoadBytes(t.Context(), exported, calliope.FuncOptions{})
	check.NoError(t, err)
	check.Cleanup(t, model)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx    context.Context
		body   string
		status int
		want   string
	}{
		{t.Context(), "[[1, 0]]", http.StatusOK, "[[0.5,0.5]]"},
		{t.Context(), "[[0, 1], [1, 0], [0, -1]]", http.StatusOK, "[[0.5,0.5],[0.5,0.5],[0.5,0.5]]"},
		{t.Context(), "{}", http.StatusBadRequest, "cannot unmarshal"},
		{t.Context(), "[[1, 2], [3]]", http.StatusUnprocessableEntity, "argument 0: the slices in it differ in length"},
		{t.Context(), "[[1, 2, 3]]", http.StatusUnprocessableEntity, "args[0]: takes f32[batch,2], given f32[1,3]"},
		{ended, "[[1, 0]]", http.StatusUnprocessableEntity, "context canceled"},
	} {
		w := httptest.NewRecorder()
		predict(w, httptest.NewRequestWithContext(test.ctx, "POST", "/predict", strings.NewReader(test.body)), model)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d, %q", test.body, w.Code, w.Body)
		}
	}
}
