{
  description = "The tools that this project's tests run with: Python and pytest on a glibc, pinned by content";

  outputs = { self }:
    let
      name = "python-3.11.11";

      # Python comes in a Go module, whose archives never change: its hash stands here. The rest are
      # Debian's packages, which move with its security updates: `lane warm --pin` writes down which
      # versions there are, and what all of it comes to.
      python = "github.com/kluctl/go-embed-python@v0.0.0-3.11.11-20241219-1";
      pythonHash = "sha256-+wTnc05k9MBM73keGxvS5Q/ZB7DkNssQDnxhlrmVcw8=";

      pytest = [ "pytest" "pluggy" "iniconfig" "packaging" "attr" "py" ];

      # What scripts call, all of it busybox.
      programs = [
        "[" "awk" "basename" "cat" "chmod" "cmp" "cp" "cut" "date" "dd" "diff" "dirname" "echo" "egrep" "env" "expr" "false" "find"
        "grep" "gunzip" "gzip" "head" "hostname" "id" "kill" "ln" "ls" "md5sum" "mkdir" "mktemp" "mv" "nl" "nproc" "od" "paste"
        "patch" "printenv" "printf" "ps" "pwd" "readlink" "realpath" "rm" "rmdir" "sed" "seq" "sh" "sha256sum" "sleep" "sort"
        "stat" "tac" "tail" "tar" "tee" "test" "timeout" "touch" "tr" "true" "uname" "uniq" "wc" "which" "whoami" "xargs" "yes"
      ];

      machines = {
        x86_64-linux = { go = "linux-amd64"; libs = "lib/x86_64-linux-gnu"; loader = "ld-linux-x86-64.so.2"; at = "lib64"; };
        aarch64-linux = { go = "linux-arm64"; libs = "lib/aarch64-linux-gnu"; loader = "ld-linux-aarch64.so.1"; at = "lib"; };
      };
      each = f: builtins.mapAttrs f machines;

      pins = if builtins.pathExists ./debian.json then builtins.fromJSON (builtins.readFile ./debian.json) else { };
      pinned = system: ((pins.${system} or { }).${name} or { narHash = ""; debs = { }; });

      source = system: machine:
        let
          pin = pinned system;
          deb = name: from: to: { inherit from to; deb = if pin.debs ? ${name} then "${name}=${pin.debs.${name}}" else name; };
          module = from: to: {
            inherit to;
            from = "python/internal/data/${machine.go}/${from}";
            goModule = python;
            narHash = pythonHash;
            gunzip = true;
            executable = [ "bin/*" ];
          };
        in
        {
          inherit name;
          inherit (pin) narHash;
          pins = "debian.json";
          parts = [
            (module "lib" "lib")
            (module "bin/python3.11.gz" "bin/python3.11")
            (deb "libc6" machine.libs machine.libs)
            (deb "libgcc-s1" machine.libs machine.libs)
            (deb "libcrypt1" machine.libs machine.libs)
            (deb "libc-bin" "usr/lib/locale/C.utf8" "lib/locale/C.utf8")
            (deb "busybox-static" "bin/busybox" "bin/busybox")
          ] ++ map (p: deb "python3-${p}" "usr/lib/python3/dist-packages" "lib/python3.11/site-packages") pytest;
          links = {
            # The box's /lib, /lib64 and /usr/lib are these folders: so programs find loader and libraries.
            "${machine.at}/${machine.loader}" = "../${machine.libs}/${machine.loader}";
            "bin/python3" = "python3.11";
            "bin/python" = "python3.11";
          } // builtins.listToAttrs (map (p: { name = "bin/${p}"; value = "busybox"; }) programs);
          files."bin/pytest" = ''
            #!/usr/bin/env python3
            import sys
            from pytest import console_main
            sys.exit(console_main())
          '';
        };

      # The output's name follows from its hash: a store that holds it never runs the builder.
      env = system: derivation {
        inherit name system;
        builder = "/run/lane-warm-first";
        outputHashMode = "recursive";
        outputHash = (pinned system).narHash;
      };
    in
    {
      packages = each (system: _: rec { lane-env = env system; default = lane-env; });

      # What `lane warm` fetches with the clients of this machine, lays together, checks and adds.
      laneSources = each (system: machine: [ (source system machine) ]);
    };
}
