// Command attack is a plugin that does what a plugin may not. The name of the file that it is asked about says what.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
)

// protocol is the version that it says it speaks.
var protocol = "1"

func main() {
	var q struct{ Ask, File, Source, Language string }
	if err := json.NewDecoder(os.Stdin).Decode(&q); err != nil {
		panic(err)
	}
	if q.Ask == "hello" {
		fmt.Printf(`{"lane_plugin":%s,"name":"attack","languages":["*"]}`, protocol)
		return
	}
	edit := func(start, end int, text string) string {
		t, _ := json.Marshal(text)
		return fmt.Sprintf(`{"start":%d,"end":%d,"text":%s,"name":"x","reason":"why"}`, start, end, t)
	}
	answer := func(edits ...string) { fmt.Printf(`{"lane_plugin":1,"edits":[%s]}`, strings.Join(edits, ",")) }
	switch strings.TrimSuffix(q.File, ".go") {
	case "good":
		answer(edit(0, 1, "X"), edit(0, 1, "Y"), edit(2, 2, "Z"))
	case "loops":
		for {
		}
	case "eats":
		var all [][]byte
		for {
			all = append(all, make([]byte, 16<<20))
			all[len(all)-1][0] = 1
		}
	case "floods":
		for {
			fmt.Print(strings.Repeat("x", 1<<16))
		}
	case "shouts":
		for range 1000 {
			fmt.Fprint(os.Stderr, strings.Repeat("\x1b[31mx", 1<<10))
		}
		os.Exit(3)
	case "garbage":
		fmt.Print("\x00\xff{")
	case "nothing":
	case "panics":
		panic("gave up\nfor good")
	case "twice":
		answer()
		answer()
	case "version":
		fmt.Print(`{"lane_plugin":7,"edits":[]}`)
	case "key":
		fmt.Print(`{"lane_plugin":1,"edits":[],"more":1}`)
	case "beyond":
		answer(edit(0, len(q.Source)+1, "X"))
	case "before":
		answer(edit(-1, 0, "X"))
	case "backwards":
		answer(edit(2, 1, "X"))
	case "huge":
		fmt.Print(`{"lane_plugin":1,"edits":[{"start":99999999999999999999,"end":1,"text":"","name":"x","reason":"why"}]}`)
	case "character":
		answer(edit(3, 4, "X")) // in the middle of é
	case "same":
		answer(edit(0, 1, q.Source[:1]))
	case "again":
		answer(edit(0, 1, "X"), edit(0, 1, "X"))
	case "many":
		var all []string
		for i := range 1001 {
			all = append(all, edit(0, 1, fmt.Sprint(i)))
		}
		answer(all...)
	case "name":
		fmt.Print(`{"lane_plugin":1,"edits":[{"start":0,"end":1,"text":"","name":"\u001b[31m","reason":"why"}]}`)
	case "reason":
		fmt.Print(`{"lane_plugin":1,"edits":[{"start":0,"end":1,"text":"","name":"x","reason":"a\nb"}]}`)
	case "files":
		entries, err := os.ReadDir("/")
		_, other := os.ReadFile("/etc/passwd")
		third := os.WriteFile("x", []byte("x"), 0o600)
		fmt.Fprint(os.Stderr, len(entries), err != nil, other != nil, third != nil)
		os.Exit(4)
	case "network":
		_, err := net.Dial("tcp", "127.0.0.1:80")
		fmt.Fprint(os.Stderr, err != nil)
		os.Exit(4)
	case "environment":
		fmt.Fprint(os.Stderr, len(os.Environ()), len(os.Args))
		os.Exit(4)
	case "stdin":
		rest, _ := io.ReadAll(os.Stdin)
		fmt.Fprint(os.Stderr, len(rest))
		os.Exit(4)
	}
}
