// Serve answers requests with a model that JAX exported (see model.py), for batches of any size:
//
//	go run ./examples/serve & curl -d '[[0, 0], [3, 4]]' localhost:8080/predict
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"log"
	"net/http"
	"time"

	"github.com/calliope-mlir/calliope"
)

//go:embed model.jaxexport
var exported []byte

func predict(w http.ResponseWriter, r *http.Request, model *calliope.Function) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	var x [][]float32
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&x); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	} else if y, err := calliope.Call[[][]float32](ctx, model, x); err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	} else if err := json.NewEncoder(w).Encode(y); err != nil {
		log.Print(err)
	}
}

func main() {
	model, err := calliope.LoadBytes(context.Background(), exported, calliope.FuncOptions{})
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /predict", func(w http.ResponseWriter, r *http.Request) { predict(w, r, model) })
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}
