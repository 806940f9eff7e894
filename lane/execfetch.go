package lane

import (
	"context"
	"fmt"

	"github.com/vallane/lane/lane/fetch"
	"github.com/vallane/lane/lane/worktree"
)

// FetchPhase is the phase of ExecOptions in which a box sees manifests and lock files only, and reaches the hosts of allow.
const FetchPhase = "fetch"

// inFetchPhase runs the command as one of the task's fetch phase on a tree; nothing that it fetches is kept.
func (e ExecOptions) inFetchPhase(ctx context.Context, j *job) (ExecResult, error) {
	t := j.tasks[0]
	if len(t.spec.Fetch) == 0 {
		return ExecResult{}, j.spec.Problem("env.fetch", "there is no fetch phase to run in: task "+t.spec.Name+" has no fetch", "leave --phase out")
	}
	tree, err := e.treeOf(j)
	if err != nil {
		return ExecResult{}, err
	}
	p, err := j.phase(t, tree)
	if err != nil {
		return ExecResult{}, err
	}
	allow, told, err := fetch.Registries(ctx, t.spec.Allow)
	if err != nil {
		return ExecResult{}, err
	}
	p.Allow, p.Env = allow, append(told, p.Env...)
	h := fetch.Hand{Argv: e.argv(), Stdin: e.Stdin, Stdout: e.Stdout, Stderr: e.Stderr, Terminal: e.Terminal}
	if e.Interactive {
		h.Timeout = interactiveTime
	}
	r, hosts, err := p.ByHand(ctx, h)
	if err != nil {
		return ExecResult{}, withExit(err)
	}
	out, err := e.result(r, t, fetch.CommandTime)
	for _, host := range hosts {
		if host.Reason != "" {
			out.Note = joined(out.Note, fmt.Sprintf("%s:%d was not served: %s: %s", host.Host, host.Port, host.Reason, host.Detail))
		}
	}
	return out, err
}

// treeOf is the tree that was asked for.
func (e ExecOptions) treeOf(j *job) (*worktree.Tree, error) {
	switch {
	case e.Tree == "base" && j.base == nil:
		return nil, noBase(j.spec)
	case e.Tree == "base":
		return j.base, nil
	}
	return j.head, nil
}
