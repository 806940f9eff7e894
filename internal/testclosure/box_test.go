package testclosure_test

import (
	"os"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/warmup"
)

func TestMain(m *testing.M) {
	fence.Init()
	os.Exit(m.Run())
}

// box opens a box in which nothing is but the closure.
func box(t *testing.T, c *warmup.Closure) *fence.Box {
	t.Helper()
	if c.Verified != warmup.LevelSealed || c.Sandbox != warmup.SandboxNotBuilt {
		t.Errorf("verified %s, sandbox %s", c.Verified, c.Sandbox)
	}
	var store []fence.Mount
	for _, p := range c.Paths {
		store = append(store, fence.Mount{Host: p.Host, Box: p.StorePath})
	}
	b, err := fence.Open(t.Context(), fence.Config{StorePaths: store, Path: c.PathDirs(), Limits: fence.Limits{Memory: 4 << 30}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// prints runs a command in the box and compares what it prints to stdout.
func prints(t *testing.T, b *fence.Box, want string, argv ...string) {
	t.Helper()
	r, err := b.Run(t.Context(), fence.Command{Argv: argv})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Stdout.Head); r.End != fence.Exited || r.Exit != 0 || strings.TrimSpace(got) != want {
		t.Errorf("%q: %s %d %s, printed %q, want %q\n%s", argv, r.End, r.Exit, r.Note, got, want, r.Stderr.Head)
	}
}

func TestTheClosureRunsPython(t *testing.T) {
	c := testclosure.Python(t)
	b := box(t, c)
	prints(t, b, "7.2.1", "python3", "-I", "-c", "import pytest; print(pytest.__version__)")
	prints(t, b, "pytest 7.2.1", "pytest", "--version")
	prints(t, b, "3.11.11", "/usr/bin/env", "python3", "-c", "import platform; print(platform.python_version())")
	prints(t, b, "", "/bin/sh", "-c", "true")
	prints(t, b, "3", "/bin/sh", "-c", "printf 'a\\nb\\nc\\n' | wc -l")
	// Programs that a test starts by the interpreter's own name are of the closure, too.
	prints(t, b, c.Root+"/bin/python3", "python3", "-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import sys; print(sys.executable)'])")
	prints(t, b, "0 C.UTF-8", "python3", "-c", "import locale, sys; print(sys.flags.utf8_mode, locale.setlocale(locale.LC_ALL, ''))")
	// What has C in it, and what reaches for another library when it is first called.
	prints(t, b, "ok", "python3", "-c", `
import asyncio, bz2, crypt, ctypes, curses, datetime, decimal, hashlib, lzma, multiprocessing, readline, socket, sqlite3, ssl, subprocess
import tempfile, threading, unittest, unittest.mock, uuid, zlib, zoneinfo
ctypes.CDLL("libc.so.6")
t = threading.Thread(target=lambda: None); t.start(); t.join()
zoneinfo.ZoneInfo("Europe/Berlin")
with multiprocessing.Pool(1) as p: p.map(abs, [1])
socket.getaddrinfo("localhost", 80)
print("ok")`)
}

func TestTheClosureRunsC(t *testing.T) {
	b := box(t, testclosure.C(t))
	prints(t, b, "3", "/bin/sh", "-c", `
printf '%s\n' '#include <stdio.h>' '#include <string.h>' '#include <stdlib.h>' 'int main(void) { printf("%zu\n", strlen("abc")); return 0; }' >/tmp/a.c
cc -Wall -o /tmp/a /tmp/a.c && /tmp/a`)
}

func TestTheClosureRunsNode(t *testing.T) {
	c := testclosure.Node(t)
	b := box(t, c)
	prints(t, b, "v20.20.2", "node", "-p", "process.version")
	prints(t, b, "", "node", "-e", "1")
	prints(t, b, "", "/bin/sh", "-c", "true")
	prints(t, b, "1", "/usr/bin/env", "node", "-p", "1")
	prints(t, b, c.Root+"/bin/node", "node", "-e", "require('child_process').execFileSync(process.execPath, ['-p', 'process.execPath'], {stdio: 'inherit'})")
}
