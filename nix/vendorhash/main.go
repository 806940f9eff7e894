package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main without the process: it returns the exit code, 2 for wrong usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("vendorhash", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "fail where nix/hashes.json says another hash")
	update := flags.Bool("update", false, "write the hash to nix/hashes.json")
	root := flags.String("root", ".", "the top folder of the repository")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 || *check && *update {
		fmt.Fprintln(stderr, "vendorhash: usage: vendorhash [--check | --update]")
		return 2
	}

	hash, err := vendorHash(ctx, *root)
	if err != nil {
		fmt.Fprintln(stderr, "vendorhash:", err)
		return 1
	}
	file := filepath.Join(*root, "nix", "hashes.json")
	switch {
	case *check:
		recorded, err := readHash(file)
		if err != nil {
			fmt.Fprintln(stderr, "vendorhash:", err)
			return 1
		}
		if recorded != hash {
			fmt.Fprintf(stderr, "vendorhash: nix/hashes.json is stale: it says %q, go.mod and the imports give %q\n", recorded, hash)
			fmt.Fprintln(stderr, "vendorhash: hint: run `make vendorhash` and commit the result")
			return 1
		}
	case *update:
		if err := writeHash(file, hash); err != nil {
			fmt.Fprintln(stderr, "vendorhash:", err)
			return 1
		}
	default:
		fmt.Fprintln(stdout, hash)
	}
	return 0
}
