// Command lane verifies a change that someone else wrote and says how much the verdict has earned.
//
// It holds no logic of its own: flags, terminal output and exit codes are here, everything else is
// in the packages beside it. Results go to stdout, all other words to stderr through one printer.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fence/wasi"
)

// version and commit are set by the linker (Makefile, nix/package.nix).
var (
	version = "dev"
	commit  = ""
)

func main() {
	fence.Init()
	wasi.Init()
	os.Exit(run(os.Args[1:]))
}

// run is main with an exit code. A panic in Lane is a fault of Lane's own: it is caught, named and
// exits as one.
func run(args []string) (code int) {
	out := newPrinter(os.Stdout, os.Stderr, os.Getenv)
	defer func() {
		if r := recover(); r != nil {
			out.fault(r, debug.Stack())
			code = int(assurance.ExitLane)
		}
	}()
	ctx, caught, stop := interruptible(context.Background(), out)
	defer stop()

	a := &app{out: out, getenv: os.Getenv}
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if sig := caught(); sig != 0 {
		return 128 + sig
	}
	if err == nil {
		return a.exit
	}
	if !errors.As(err, new(silent)) {
		out.error(err)
	}
	return exitCode(err)
}

// silent is an error that has been printed already.
type silent struct{ code int }

func (s silent) Error() string { return fmt.Sprintf("exit %d", s.code) }

// exitCode gives the number for an error that kept a command from its verdict: 2 for the caller's
// mistakes, what the error itself says where it knows better.
func exitCode(err error) int {
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	if s := (silent{}); errors.As(err, &s) {
		return s.code
	}
	return int(assurance.ExitUsage)
}
