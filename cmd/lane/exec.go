package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/fence"
)

func (a *app) execCommand() *cobra.Command {
	var e lane.ExecOptions
	c := &cobra.Command{
		Use:   "exec [SPEC] [--task NAME] [--tree head|base] [--phase test|fetch] [-i] -- [COMMAND...]",
		Short: "Run one command by hand in a task's box, as its test phase would",
		Long: `Exec runs one command with the closure, tree, environment and limits of a task, without network, and passes on
what it prints and its exit code. Without a COMMAND it starts the closure's shell. Nothing that the command writes
is kept: the next one starts from the commit again. With --phase fetch it runs as the commands of fetch do: it sees
manifests and lock files only, and reaches the hosts of allow; those that it asked for and did not get are named on
stderr.

Standard input is empty unless it is a terminal or -i is given. Control characters for the terminal are shown and
not obeyed, unless -i is given. A limit that was met is named on stderr; where Lane ended the command for its
timeout the exit code is 7, for another limit 5. Where no command could be run it is 2, 3 or 5.`,
		Example: "  lane exec -- go test -run TestOne ./...\n  lane exec specs/cart.toml --task unit --tree base -- pytest -x\n  lane exec --phase fetch -- go mod download -x\n  lane exec -i",
		RunE: func(cmd *cobra.Command, args []string) error {
			specs := args
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				specs, e.Argv = args[:n], args[n:]
			}
			o, err := a.options()
			if err != nil {
				return err
			}
			found, err := lane.Find(specs)
			if err != nil {
				return err
			}
			if len(found) != 1 {
				return errors.New("choose a spec: exec runs in one; name it, and put the command after --")
			}
			o.Events = newProgress(a.out, a.quiet || !a.out.live, false).show
			r, err := a.execute(cmd.Context(), o, found[0], e)
			if err != nil {
				return err
			}
			if r.Note != "" {
				a.out.notice("%s", r.Note)
			}
			a.exit = r.Exit
			return nil
		},
	}
	c.Flags().StringVar(&e.Task, "task", "", "the task whose box it is (default: the only one)")
	c.Flags().StringVar(&e.Tree, "tree", "head", "the tree to run on: head or base")
	c.Flags().StringVar(&e.Phase, "phase", "test", "the phase whose box it is: test or fetch")
	c.Flags().BoolVarP(&e.Interactive, "interactive", "i", false, "pass standard input on, and control characters out; the timeout is a day")
	return c
}

// execute connects the command's streams to Lane's own.
func (a *app) execute(ctx context.Context, o lane.Options, spec string, e lane.ExecOptions) (lane.ExecResult, error) {
	typed := term.IsTerminal(int(os.Stdin.Fd()))
	if typed || e.Interactive {
		e.Stdin = os.Stdin
	}
	e.Interactive = e.Interactive || typed && len(e.Argv) == 0
	e.Stdout, e.Stderr = a.out.passing(os.Stdout, e.Interactive), a.out.passing(os.Stderr, e.Interactive)
	if typed && e.Interactive && term.IsTerminal(int(os.Stdout.Fd())) {
		end, err := handOver(&e)
		if err != nil {
			return lane.ExecResult{}, err
		}
		defer end()
	}
	return lane.Exec(ctx, o, spec, e)
}

// handOver gives the person's terminal to the box's own one: every key goes there, and nobody here reads it.
func handOver(e *lane.ExecOptions) (end func(), err error) {
	old, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return nil, fmt.Errorf("hand the terminal over: %w", err)
	}
	sizes, stop := terminalSizes(os.Stdout)
	e.Terminal = &fence.Terminal{Resized: sizes}
	return func() {
		stop()
		_ = term.Restore(int(os.Stdin.Fd()), old)
	}, nil
}
