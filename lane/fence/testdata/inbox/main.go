// Command inbox is what the tests of package fence run inside a box: a handful of
// ordinary programs, and attacks. Each prints what the kernel said.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

var programs = map[string]func(args []string) int{
	"true":  func([]string) int { return 0 },
	"exit":  func(a []string) int { n, _ := strconv.Atoi(a[0]); return n },
	"print": func(a []string) int { fmt.Println(strings.Join(a, " ")); return 0 },
	"env":   printEnv,
	"cat":   cat,
	"write": write,
	"list":  list,
	"sleep": sleep,
	"stdin": readStdin,

	"terminal": terminal,
	"event":    event,
}

func main() {
	name := filepath.Base(os.Args[0])
	args := os.Args[1:]
	if name == "inbox" && len(args) > 0 {
		name, args = args[0], args[1:]
	}
	run, ok := programs[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "inbox: no program %q\n", name)
		os.Exit(99)
	}
	os.Exit(run(args))
}

// say prints what came of something, for the test to compare.
func say(what string, err error) {
	if err == nil {
		fmt.Printf("%s: done\n", what)
		return
	}
	fmt.Printf("%s: %v\n", what, err)
}

func printEnv([]string) int {
	env := os.Environ()
	sort.Strings(env)
	fmt.Println(strings.Join(env, "\n"))
	return 0
}

func cat(args []string) int {
	status := 0
	for _, name := range args {
		data, err := os.ReadFile(name)
		if err != nil {
			fmt.Println(err)
			status = 1
		}
		os.Stdout.Write(data)
	}
	return status
}

// write PATH TEXT
func write(args []string) int {
	err := os.MkdirAll(filepath.Dir(args[0]), 0o755)
	if err == nil {
		err = os.WriteFile(args[0], []byte(args[1]), 0o644)
	}
	say("write "+args[0], err)
	if err != nil {
		return 1
	}
	return 0
}

// list prints every path below its arguments with mode, owner, size and time.
func list(args []string) int {
	for _, root := range args {
		err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
			if err != nil {
				fmt.Println(err)
				return nil
			}
			st, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Printf("%s %s %s %d\n", p, st.Mode(), owner(st), st.ModTime().Unix())
			return nil
		})
		if err != nil {
			fmt.Println(err)
			return 1
		}
	}
	return 0
}

func sleep(args []string) int {
	d, err := time.ParseDuration(args[0])
	if err != nil {
		return 2
	}
	time.Sleep(d)
	return 0
}

func readStdin([]string) int {
	n, err := os.Stdin.Read(make([]byte, 1))
	fmt.Println(n, err)
	return 0
}

// event RECORD... writes each record to descriptor 3.
func event(args []string) int {
	f := os.NewFile(3, "events")
	for _, rec := range args {
		if _, err := f.Write([]byte(rec)); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	return 0
}
