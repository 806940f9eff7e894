package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vallane/lane/lane/spec/position"
)

// mostServices is how many services one task may have.
const mostServices = 4

// Service is a program of the closure that the tests of some tasks talk to (VAL-2).
type Service struct {
	Name    string        `json:"name"`
	Prepare []string      `json:"prepare,omitempty"`
	Up      []string      `json:"up"`
	Port    int           `json:"port"`
	Health  []string      `json:"health,omitempty"`
	Tasks   []string      `json:"tasks"`
	Timeout time.Duration `json:"timeout"`
}

// ServicesOf returns the services of a task.
func (s *Spec) ServicesOf(task string) (out []Service) {
	for _, x := range s.Services {
		if slices.Contains(x.Tasks, task) {
			out = append(out, x)
		}
	}
	return out
}

func serviceSettings() []Setting {
	return []Setting{
		{Key: "service[]", Type: "tables", meant: []string{"services", "database", "dependency", "counterpart"},
			Doc: "A disposable service that tests talk to (VAL-2): a program of the closure, such as a database, started anew for each run of the tests. See [service.md](service.md)."},
		{Key: "service[].name", Type: "id", Required: true, Example: `"cache"`, meant: []string{"id", "title"},
			Doc: "Unique among the services of the spec, whatever their case. Tests find its address as `127.0.0.1:PORT` in `LANE_SERVICE_` and the name in capitals, with `_` for all that is no letter and no digit."},
		{Key: "service[].prepare", Type: "command", Example: `["initdb", "-D", "/tmp/data"]`, meant: []string{"init", "setup", "before", "build"},
			Doc: "Is run first, in the box of the service, which keeps what it writes. None by default."},
		{Key: "service[].up", Type: "command", Required: true, Example: `["redis-server", "--port", "6379", "--save", ""]`, meant: []string{"run", "start", "command", "serve"},
			Doc: "Starts the service, and goes on until Lane ends it. Its box holds the closure of the task and no file of the tree. Where the program is none of the closure's, or one that runs what it is told, the service is no counterpart."},
		{Key: "service[].port", Type: "integer", Required: true, Min: 1024, Max: 65535, Example: "6379", meant: []string{"address", "listen"},
			Doc: "Where it listens by TCP, on 127.0.0.1 of its box, and where the tests find it on 127.0.0.1 of theirs."},
		{Key: "service[].health", Type: "command", Example: `["redis-cli", "ping"]`, meant: []string{"ready", "alive", "check", "wait"},
			Doc: "Exits with 0 when the service is ready. It is run where the tests run, as often as it takes. By default the service is ready when it takes a connection."},
		{Key: "service[].tasks", Type: "ids", Example: `["unit"]`, meant: []string{"task", "for"},
			Doc: "The tasks whose tests talk to it, at most 4 services to a task. Each of them has to, or the service is no counterpart. By default all tasks that test the tree."},
		{Key: "service[].timeout", Type: "duration", Default: `"30s"`, meant: []string{"limit", "wait", "time"},
			Doc: "Of `prepare`, and from `up` until the service is ready."},
	}
}

func (r *resolver) services(s *Spec) (out []Service) {
	all := []string{}
	for _, t := range s.Tasks {
		if !t.OnTarget() {
			all = append(all, t.Name)
		}
	}
	for path := position.Path("service").At(0); r.given[path]; path = position.Path("service").At(len(out)) {
		out = append(out, Service{
			Name: r.text(path.Key("name")), Prepare: r.list(path.Key("prepare")), Up: r.list(path.Key("up")), Port: r.integer(path.Key("port")),
			Health: r.list(path.Key("health")), Tasks: or(r, path.Key("tasks"), all), Timeout: r.duration(path.Key("timeout")),
		})
	}
	return out
}

// serviceRules refuses services that would get into each other's way, and those of no task.
func (c *checker) serviceRules(s *Spec) {
	names, variables := map[string]position.Path{}, map[string]string{}
	for i, x := range s.Services {
		at := position.Path("service").At(i)
		c.unique(names, at.Key("name"), x.Name, "service")
		v := strings.Map(func(r rune) rune {
			if r == '-' || r == '.' {
				return '_'
			}
			return r
		}, strings.ToLower(x.Name))
		if other := variables[v]; other != "" && !strings.EqualFold(other, x.Name) {
			c.at(at.Key("name"), fmt.Sprintf("the services %s and %s would be told to tests by one variable", quote(other), quote(x.Name)), "give one of them another name")
		}
		variables[v] = x.Name
		for k, task := range x.Tasks {
			switch n := slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Name == task }); {
			case n < 0 && !c.partial:
				c.at(at.Key("tasks").At(k), "there is no task "+quote(task), "name tasks of this spec")
			case n >= 0 && s.Tasks[n].OnTarget():
				c.at(at.Key("tasks").At(k), "the task "+quote(task)+" tests the target, and talks to nothing else", "name tasks that test the tree")
			}
		}
		if c.given[at.Key("tasks")] && len(x.Tasks) == 0 && !c.partial && c.values[at.Key("tasks")] != nil {
			c.at(at.Key("tasks"), `"tasks" names none: nothing would talk to the service`, "name a task, or leave the key out for all")
		}
		for _, other := range s.Services[:i] {
			if other.Port == x.Port && x.Port != 0 && slices.ContainsFunc(x.Tasks, func(t string) bool { return slices.Contains(other.Tasks, t) }) {
				c.at(at.Key("port"), fmt.Sprintf("the services %s and %s have one port in one task", quote(other.Name), quote(x.Name)), "give one of them another port")
			}
		}
	}
	for i, t := range s.Tasks {
		if n := len(s.ServicesOf(t.Name)); n > mostServices {
			c.at(position.Path("task").At(i).Key("name"), fmt.Sprintf("the task %s has %d services, and %d is the most", quote(t.Name), n, mostServices), "name the tasks of each service")
		}
	}
}

// ResolvedService is one service.
type ResolvedService struct {
	Name    string   `json:"name"`
	Prepare []string `json:"prepare,omitempty"`
	Up      []string `json:"up"`
	Port    int      `json:"port"`
	Health  []string `json:"health,omitempty"`
	Tasks   Value    `json:"tasks"`
	Timeout Value    `json:"timeout"`
}

func (s *Spec) resolvedServices() (out []ResolvedService) {
	for i, x := range s.Services {
		shown := func(key, text string) Value { return s.shown(fmt.Sprintf("service[%d].%s", i, key), text) }
		out = append(out, ResolvedService{Name: x.Name, Prepare: x.Prepare, Up: x.Up, Port: x.Port, Health: x.Health,
			Tasks: shown("tasks", strings.Join(x.Tasks, ", ")), Timeout: shown("timeout", formatDuration(x.Timeout))})
	}
	return out
}

func (p *page) services(services []ResolvedService) {
	for _, x := range services {
		p.heading("service " + x.Name)
		for _, c := range []struct {
			name string
			argv []string
		}{{"prepare", x.Prepare}, {"up", x.Up}, {"health", x.Health}} {
			if len(c.argv) > 0 {
				p.line(1, c.name, commandLine(c.argv))
			}
		}
		p.line(1, "port", strconv.Itoa(x.Port))
		p.value(1, "tasks", x.Tasks)
		p.value(1, "timeout", x.Timeout)
	}
}
