// Command tree is a plugin that turns the sign of every comparison that it finds in the syntax tree.
package main

import (
	"encoding/json"
	"os"
)

type node struct {
	Kind, Field string
	Start, End  int
	Children    []*node
}

func main() {
	var q struct {
		Ask  string
		Tree *node
	}
	if err := json.NewDecoder(os.Stdin).Decode(&q); err != nil {
		panic(err)
	}
	answer := map[string]any{"lane_plugin": 1}
	if q.Ask == "hello" {
		answer["name"], answer["languages"] = "tree", []string{"c"}
	} else {
		answer["edits"] = signs(q.Tree)
	}
	json.NewEncoder(os.Stdout).Encode(answer)
}

func signs(n *node) (edits []map[string]any) {
	if n.Field == "operator" && n.Kind == "<" {
		edits = append(edits, map[string]any{"start": n.Start, "end": n.End, "text": ">", "name": "sign", "reason": "signs look alike"})
	}
	for _, c := range n.Children {
		edits = append(edits, signs(c)...)
	}
	return edits
}
