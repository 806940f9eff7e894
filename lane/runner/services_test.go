package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe/exit"
	"github.com/vallane/lane/lane/service"
)

// served is a task with a script and services, on a tree of its own.
func served(t *testing.T, script string, services ...service.Service) *Stage {
	c := testclosure.Memcached(t)
	task := &Task{Name: "unit", Argv: []string{"sh", "test.sh"}, Timeout: time.Minute, Reporter: exit.Reporter{}, Path: c.PathDirs(),
		Zones: filepath.Join(os.TempDir(), "lane-test-zones"), Services: services}
	for _, p := range c.Paths {
		task.Store = append(task.Store, fence.Mount{Host: p.Host, Box: p.StorePath})
	}
	const ask = "ask() { printf \"$2\\r\\nquit\\r\\n\" | nc \"${1%:*}\" \"${1#*:}\"; }\n"
	s := task.On(tree(t, map[string]string{"test.sh": ask + script, "server.sh": "exec memcached -l 127.0.0.1 -p 2000 -U 0\n"}), "")
	t.Cleanup(s.Close)
	return s
}

func memcached(name, port string, number int) service.Service {
	return service.Service{Name: name, Up: []string{"memcached", "-l", "127.0.0.1", "-p", port, "-U", "0"}, Port: number}
}

// Each run finds services that nobody has talked to, and can do nothing to them but ask.
func TestServices(t *testing.T) {
	s := served(t, `
ask "$LANE_SERVICE_A" "get k" | grep -q VALUE && exit 3
ask "$LANE_SERVICE_A" "set k 0 0 1\r\n1" | grep -q STORED || exit 4
ask "$LANE_SERVICE_A" "get k" | grep -q VALUE || exit 5
ps | grep -q '[m]emcached' && exit 6
nc -l -p "${LANE_SERVICE_A#*:}" -s 127.0.0.1 </dev/null && exit 7
ask "$LANE_SERVICE_B" "get k" | grep -q VALUE && exit 8
exit 0
`, memcached("a", "2000", 2000), memcached("b", "2001", 2001))
	for range 2 {
		seen, err := s.Run(t.Context(), Order{})
		if err != nil || seen.Box.Exit != 0 || seen.Box.End != fence.Exited || len(seen.Box.Census.Left) > 0 {
			t.Fatalf("%v: %s %d, left %v\n%s", err, seen.Box.End, seen.Box.Exit, seen.Box.Census.Left, seen.Output())
		}
		for i, n := range []int64{3, 1} {
			if x := seen.Services[i]; !x.Healthy || !x.Alive || x.Connections != n || x.Asked == 0 || x.Answered == 0 || x.Spoilt != 0 {
				t.Errorf("%+v, want %d connections", x, n)
			}
		}
	}
	seen, err := s.Run(t.Context(), Order{Spoil: "a"})
	if err != nil || seen.Box.Exit != 4 {
		t.Fatalf("with spoilt answers: %v, exit %d\n%s", err, seen.Box.Exit, seen.Output())
	}
	if x := seen.Services[0]; x.Spoilt != 2 || x.Answered != 0 || !x.Alive {
		t.Errorf("spoilt: %+v", x)
	}
	if x := seen.Services[1]; x.Connections != 0 || !x.Alive {
		t.Errorf("the other: %+v", x)
	}
}

// A service that does not get ready keeps the tests from starting, and says why. What prepare leaves, up finds.
func TestServicesThatAreNotReady(t *testing.T) {
	good := memcached("a", "2000", 2000)
	with := func(edit func(*service.Service)) service.Service {
		s := good
		s.Timeout = 5 * time.Second
		edit(&s)
		return s
	}
	for name, x := range map[string]struct {
		service service.Service
		says    string // "" where it is ready
	}{
		"no such program":    {with(func(s *service.Service) { s.Up = []string{"redis-server"} }), "redis-server"},
		"it ends":            {with(func(s *service.Service) { s.Up = []string{"sh", "-c", "echo no room; exit 3"} }), "exited with 3; it printed: no room"},
		"a script of a tree": {with(func(s *service.Service) { s.Up = []string{"sh", "server.sh"} }), "server.sh"},
		"another port":       {with(func(s *service.Service) { s.Port, s.Timeout = 2002, time.Second }), "it takes no connection at 127.0.0.1:2002"},
		"health says no":     {with(func(s *service.Service) { s.Health, s.Timeout = []string{"false"}, 2*time.Second }), "its health command exited with 1"},
		"prepare says no":    {with(func(s *service.Service) { s.Prepare = []string{"sh", "-c", "echo no room; exit 4"} }), "its prepare command exited with 4; it printed: no room"},
		"prepare goes before": {with(func(s *service.Service) {
			s.Prepare, s.Up = []string{"sh", "-c", "echo exec memcached -l 127.0.0.1 -p 2000 -U 0 >/tmp/up"}, []string{"sh", "/tmp/up"}
		}), ""},
		"health says yes": {with(func(s *service.Service) {
			s.Health = []string{"sh", "-c", `printf 'version\r\nquit\r\n' | nc 127.0.0.1 2000 | grep -q VERSION`}
		}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			seen, err := served(t, "echo ran", x.service).Run(t.Context(), Order{})
			if err != nil {
				t.Fatal(err)
			}
			o := seen.Observation()
			ran := strings.Contains(seen.Output(), "ran")
			if ready := x.says == ""; ran != ready || (o.End == assurance.EndNoService) == ready || !strings.Contains(o.Detail, x.says) {
				t.Errorf("it ran: %t; %s: %q, want %q", ran, o.End, o.Detail, x.says)
			}
			if s := seen.Services[0]; s.Healthy != (x.says == "") || s.Connections != 0 {
				t.Errorf("%+v", s) // what health sent does not count
			}
		})
	}
}
