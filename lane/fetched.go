package lane

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/buildcache"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fetch"
	"github.com/vallane/lane/lane/fetch/locks"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
)

// fetched is where what fetch phases brought is kept.
func (o Options) fetched() buildcache.Options {
	return buildcache.Options{Dir: filepath.Join(o.Cache, "fetched"), Owner: owner(), Whole: true}
}

// fetch runs the fetch phase of each task that has one, once for each set of manifests among its trees.
func (j *job) fetch(ctx context.Context) error {
	for _, t := range j.every() {
		if len(t.spec.Fetch) == 0 {
			continue
		}
		t.runner.Brought = map[string]runner.Brought{}
		allow, told, err := fetch.Registries(ctx, t.spec.Allow)
		if err != nil {
			return err
		}
		for _, tree := range []struct {
			role assurance.TreeRole
			tree *worktree.Tree
		}{{assurance.Base, j.base}, {assurance.Hybrid, j.hybrid}, {assurance.Head, j.head}} {
			if tree.tree == nil || t.spec.OnTarget() && tree.role != assurance.Head {
				continue
			}
			if err := j.fetchFor(ctx, t, tree.role, tree.tree, allow, told); err != nil {
				return err
			}
		}
		if brought := t.runner.Brought; j.base != nil && !t.spec.OnTarget() && brought[j.base.Path].Caches != brought[j.head.Path].Caches {
			j.note("the change edits manifests or lock files: what was fetched for it is not what was fetched for base")
		}
	}
	return nil
}

// fetchFor brings what the manifests of one tree name, unless it is kept, and lays it below the task's runs on that tree. told is what
// its clients are told of the registries behind the allowed hosts.
func (j *job) fetchFor(ctx context.Context, t *task, role assurance.TreeRole, tree *worktree.Tree, allow, told []string) error {
	p, err := j.phase(t, tree)
	if err != nil {
		return err
	}
	p.Allow, p.Env = allow, slices.Concat(told, p.Env)
	key, ran := p.Key(), false
	lease, err := j.o.fetched().Get(ctx, key, "", func(ctx context.Context, dir string) error {
		if j.o.Offline {
			return &declined{assurance.Refusal{
				Code: "fetch-failed", Msg: "what " + commandLines(p.Commands)[0] + " brings is not kept here, and nothing may be fetched (LANE_OFFLINE)",
				Hint: "run the check once where the network may be used",
			}}
		}
		ran = true
		j.say("fetch", "fetch for "+string(role)+": "+commandLines(p.Commands)[0])
		hosts, err := j.runPhase(ctx, p, key, dir)
		if err != nil {
			j.noteFetched(t, role, p, fetch.Brought{Hosts: hosts}, false)
		}
		return err
	})
	if err != nil {
		return err
	}
	j.leases = append(j.leases, lease)
	if t.runner.Cut == nil && !ran { // else the phase's own box was the control
		if err := p.Control(ctx); err != nil {
			return err
		}
	}
	t.runner.Cut = []string{fetch.ProxyAddress}
	brought, err := fetch.Read(lease.Dir)
	if err != nil {
		return err
	}
	if !ran {
		if err := fetch.Verify(ctx, lease.Dir, key, filepath.Join(j.o.State, "seals"), brought); err != nil {
			return err
		}
	}
	j.noteFetched(t, role, p, brought, !ran)
	if role == assurance.Head {
		j.noteUnhashed(p.Unhashed(brought))
	}
	if brought.Empty() { // the boxes are those of a task without a fetch phase
		return nil
	}
	b := runner.Brought{Caches: fetch.CachesOf(lease.Dir), CachesAt: fetch.CachesDir, Env: brought.Env}
	if brought.Modules {
		b.Below = fetch.TreeOf(lease.Dir)
	}
	t.runner.Brought[tree.Path] = b
	return nil
}

// runPhase runs a phase with its logs: what the commands printed, and a line for each decision of the proxy.
func (j *job) runPhase(ctx context.Context, p *fetch.Phase, key, dir string) (hosts []fetch.Host, err error) {
	output, err := j.openLog("fetch/" + key)
	if err != nil {
		return nil, err
	}
	decisions, err := j.openLog("egress/" + key)
	if err != nil {
		return nil, errors.Join(err, output.Close())
	}
	p.Log, p.Egress = output, slog.New(slog.NewTextHandler(decisions, nil))
	hosts, err = p.Run(ctx, dir)
	return hosts, errors.Join(err, output.Close(), decisions.Close())
}

// phase is the fetch phase of a task on a tree.
func (j *job) phase(t *task, tree *worktree.Tree) (*fetch.Phase, error) {
	files, err := j.repo.List(tree.Hash)
	if err != nil {
		return nil, err
	}
	p := &fetch.Phase{
		Commands: t.spec.Fetch, Manifests: map[string][]byte{}, Closure: t.closure.Digest,
		Store: t.runner.Store, Path: t.runner.Path, Time: j.change.CommitTime, Zones: t.runner.Zones, Scratch: j.o.fetched().Dir, Owner: owner(), Network: j.o.Network,
		Limits: fence.Limits{Memory: j.spec.Limits.Memory, Processes: j.spec.Limits.Processes},
	}
	if !j.spec.Defaults["task["+itoa(slices.IndexFunc(j.spec.Tasks, func(x spec.Task) bool { return x.Name == t.spec.Name }))+"].fetch"] {
		p.Dir = t.spec.Dir // commands of [env] start at the root of the tree, a task's own where the task does
	}
	for k, v := range t.spec.Env {
		p.Env = append(p.Env, k+"="+v)
	}
	slices.Sort(p.Env)
	for name, blob := range files {
		if !fetch.IsManifest(name) || blob.Mode&fs.ModeType != 0 {
			continue
		}
		if p.Manifests[name], err = j.repo.ReadFile(tree.Hash, name); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// noteFetched puts what a phase brought into the verdict, one entry for all trees and tasks that share it.
func (j *job) noteFetched(t *task, role assurance.TreeRole, p *fetch.Phase, b fetch.Brought, kept bool) {
	f := assurance.Fetched{Tasks: []string{t.spec.Name}, Trees: []assurance.TreeRole{role}, Commands: commandLines(p.Commands),
		Digest: b.Digest, Kept: kept, Manifests: []string{}, Hosts: []assurance.FetchedHost{}}
	for name := range p.Manifests {
		f.Manifests = append(f.Manifests, name)
	}
	slices.Sort(f.Manifests)
	for _, h := range b.Hosts {
		f.Hosts = append(f.Hosts, assurance.FetchedHost{Host: h.Host, Port: int(h.Port), Connections: h.Connections,
			Sent: h.Sent, Received: h.Received, Refused: string(h.Reason), Detail: h.Detail})
	}
	list := &j.evidence.Record.Fetched
	for i := range *list {
		old := &(*list)[i]
		if old.Digest == "" || old.Digest != f.Digest || !slices.Equal(old.Commands, f.Commands) || !slices.Equal(old.Manifests, f.Manifests) {
			continue
		}
		if !slices.Contains(old.Trees, role) {
			old.Trees = append(old.Trees, role)
		}
		if !slices.Contains(old.Tasks, t.spec.Name) {
			old.Tasks = append(old.Tasks, t.spec.Name)
		}
		return
	}
	*list = append(*list, f)
}

// noteUnhashed puts into the plan what was brought for head and no hash stands for.
func (j *job) noteUnhashed(gaps []locks.Gap) {
	list := &j.evidence.Plan.Unhashed
	for _, g := range gaps {
		u := assurance.Unhashed{File: g.File, Why: g.Why, Names: g.Names[:min(len(g.Names), maxUnhashed)], Count: len(g.Names)}
		if !slices.ContainsFunc(*list, func(old assurance.Unhashed) bool { return old.File == u.File && old.Why == u.Why }) {
			*list = append(*list, u)
		}
	}
}

// maxUnhashed bounds how many packages of one file a verdict names.
const maxUnhashed = 20

func commandLines(commands [][]string) (out []string) {
	for _, c := range commands {
		out = append(out, shell(c))
	}
	return out
}

// broughtKey tells build caches of one tree apart by what was fetched for it.
func (t *task) broughtKey(tree string) string {
	b, ok := t.runner.Brought[tree]
	if !ok {
		return ""
	}
	return strings.Join(append([]string{filepath.Base(filepath.Dir(filepath.Dir(b.Caches)))}, b.Env...), " ")
}

// moduleCache is what was fetched for head into the module cache of Go, where types are found; nil where there is none. What lies
// there was written in a box, so that no link of it is followed out of it.
func (j *job) moduleCache() fs.FS {
	for _, t := range j.tasks {
		b, ok := t.runner.Brought[j.head.Path]
		if !ok {
			continue
		}
		if root, err := os.OpenRoot(filepath.Join(b.Caches, "go-mod")); err == nil {
			return root.FS() // closed when nobody uses it any more
		}
	}
	return nil
}
