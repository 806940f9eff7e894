package service_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/service"
)

// The program of a service is a file of the closure, found as the box would find it, and one that does not run what it is told to.
func TestFind(t *testing.T) {
	const store = "/nix/store/00000000000000000000000000000000-env"
	host := t.TempDir()
	for name, to := range map[string]string{
		"bin/redis-server": "", "libexec/postgres": "", "bin/busybox": "", "bin/dash": "", "bin/python3.11": "", "bin/data": "-", "lib/ld-linux-x86-64.so.2": "", "bin/ldap": "",
		"bin/postgres": "../libexec/postgres", "bin/far": store + "/libexec/postgres", "bin/sh": "dash", "bin/python3": "python3.11",
		"bin/httpd": "busybox", "bin/ash": "busybox", "bin/db": "dash", "bin/out": "../../../../../etc/passwd", "bin/loop": "loop", "sbin": "bin",
	} {
		at := filepath.Join(host, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		err := os.Symlink(to, at)
		switch to {
		case "":
			err = os.WriteFile(at, []byte("program"), 0o755)
		case "-":
			err = os.WriteFile(at, []byte("data"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]struct{ path, foreign string }{
		"redis-server --port 6379":         {"/bin/redis-server", ""},
		store + "/bin/redis-server":        {"/bin/redis-server", ""},
		store + "/sbin/redis-server":       {"/bin/redis-server", ""},
		store + "/bin/../bin/redis-server": {"/bin/redis-server", ""},
		"postgres -D /tmp/data":            {"/libexec/postgres", ""},
		"far":                              {"/libexec/postgres", ""},
		"httpd -f":                         {"/bin/busybox", ""},
		"busybox httpd -f":                 {"/bin/busybox", ""},
		"busybox sh -c true":               {"/bin/busybox", "sh runs what it is told"},
		"busybox":                          {"/bin/busybox", "busybox runs what it is told"},
		"ash -c true":                      {"/bin/busybox", "ash runs what it is told"},
		"sh server.sh":                     {"/bin/dash", "sh runs what it is told"},
		"db":                               {"/bin/dash", "db runs what it is told"},
		"python3 server.py":                {"/bin/python3.11", "python3 runs what it is told"},
		store + "/lib/ld-linux-x86-64.so.2 /bin/sh": {"/lib/ld-linux-x86-64.so.2", "ld-linux-x86-64.so.2 runs what it is told"},
		"ldap":             {"/bin/ldap", ""},
		"./server":         {"", "a file of the tree"},
		"bin/redis-server": {"", "a file of the tree"},
		"/tree/server":     {"", "the closure has no program /tree/server"},
		"/bin/sh":          {"", "the closure has no program"},
		"nothing":          {"", "the closure has no program nothing"},
		"data":             {"", "the closure has no program data"},
		"out":              {"", "the closure has no program out"},
		"loop":             {"", "the closure has no program loop"},
	} {
		p := service.Find(strings.Fields(command), []string{"/other/bin", store + "/bin"}, []fence.Mount{{Host: host, Box: store}})
		if want.path != "" {
			want.path = store + want.path
		}
		if p.Path != want.path || (p.Foreign == "") != (want.foreign == "") || !strings.Contains(p.Foreign, want.foreign) {
			t.Errorf("%s: %+v, want %+v", command, p, want)
		}
	}
}

func TestVariable(t *testing.T) {
	for name, want := range map[string]string{"cache": "LANE_SERVICE_CACHE", "user-db.2": "LANE_SERVICE_USER_DB_2"} {
		if got := service.Variable(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
