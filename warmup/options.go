package warmup

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"

	"github.com/vallane/lane/warmup/nix"
	"github.com/vallane/lane/warmup/stage"
	"github.com/vallane/lane/warmup/store"
)

// The words of the packages below that a caller needs.
type (
	// Source is an environment as a tree or a spec declares it.
	Source = stage.Source
	// File is one file of a Source.
	File = stage.File
	// Refusal is why an environment is not accepted.
	Refusal = stage.Refusal
	// Level is how thoroughly a closure's paths were checked.
	Level = store.Level
)

// BadSource is the code of the refusal of an entry of laneSources, or of its pins.
const BadSource = stage.BadSource

// The levels of verification, weakest first.
const (
	LevelNone   = store.None
	LevelLstat  = store.Lstat
	LevelSealed = store.Sealed
	LevelFull   = store.Full
)

// Options says where closures and the store are. Only State is required.
type Options struct {
	// State is this user's folder: envs/, roots/ and seals/ lie below it.
	State string
	// Shared are further states that are only read, as /var/lib/lane, where root
	// publishes what it has warmed. They count only where root owns them.
	Shared []string
	// Publish is the shared state that Warm also writes to, for other users to
	// read; "" is none. Nothing of a store without Nix is published.
	Publish string
	// StoreDir is the folder of all store paths; "" is "/nix/store".
	StoreDir string
	// Private is the root of a private store: the path /nix/store/x lies at
	// Private/nix/store/x. "" is the machine's own store. Where there is no Nix it belongs to State alone: GC removes from it what
	// no lock of State names.
	Private string
	// Remote is the store in Nix's notation, as "unix:///run/nix/socket"; "" is
	// Private where that is set, and else what Nix chooses.
	Remote string
	// Substituters are the binary caches that Nix may ask; none by default.
	Substituters []string
	// TrustedKeys are the keys whose signatures on paths from caches count.
	TrustedKeys []string
	// WithoutNix has paths come from binary caches into Private even where Nix is installed. Where it is not, that happens anyway.
	WithoutNix bool
	// Offline asks no network for anything: caches in folders alone count.
	Offline bool
	// Netrc is a file of user names and passwords for caches, in netrc's notation; "" is none.
	Netrc string
	// Repair looks at every byte of a closure, whatever its seals say, and makes again what has changed.
	Repair bool
	// Settings are further settings for Nix, as access-tokens or netrc-file.
	Settings map[string]string
	// Environ is the environment from which proxies, certificates and PATH are
	// handed to Nix, and everything but Nix's own variables to the clients that
	// fetch laneSources; nil is this process's.
	Environ []string
	// Log gets a line for each step that takes time; nil drops them.
	Log func(string)

	// noSandbox asks Nix to build without its sandbox, for the test that shows
	// that it is noticed.
	noSandbox bool
}

// check fills in the defaults.
func (o Options) check() (Options, error) {
	if o.State == "" {
		return o, errors.New("find closures: no state folder is given")
	}
	for _, dir := range []*string{&o.State, &o.Publish, &o.Private} {
		if *dir == "" {
			continue
		}
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return o, err
		}
		*dir = abs
	}
	o.StoreDir = cmp.Or(o.StoreDir, "/nix/store")
	o.Remote = cmp.Or(o.Remote, o.Private)
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o, nil
}

// host is where a store path lies on this machine: in the private store, or
// where that has not got it and the machine's own store has, there.
func (o Options) host(storePath string) string {
	if o.Private == "" {
		return storePath
	}
	private := o.Private + storePath
	if !exists(private) && exists(storePath) {
		return storePath
	}
	return private
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

func (o Options) checker() store.Checker {
	return store.Checker{Seals: filepath.Join(o.State, "seals")}
}

func (o Options) nix(home string) *nix.Client {
	return &nix.Client{
		Home: home, Remote: o.Remote, Substituters: o.substituters(), TrustedKeys: o.TrustedKeys, Offline: o.Offline, Netrc: o.Netrc,
		Settings: o.Settings, Environ: o.Environ, Log: o.Log, NoSandbox: o.noSandbox,
	}
}

// The layout of a state, own or shared.

func envDir(state, key string) string   { return filepath.Join(state, "envs", key) }
func lockPath(state, key string) string { return filepath.Join(envDir(state, key), "closure.lock") }
func usePath(state, key string) string  { return filepath.Join(envDir(state, key), "in-use") }
func rootLink(state, key string) string { return filepath.Join(state, "roots", key) }
