{
  description = "The tools that this project's tests run with: a shell and what scripts call, pinned by content";

  outputs = { self }:
    let
      name = "busybox";

      # One static program of Debian's, which moves with its security updates: `lane warm --pin` writes down
      # which version there is, and its hash.
      package = "busybox-static";

      programs = [
        "[" "awk" "basename" "cat" "chmod" "cmp" "cp" "cut" "date" "dd" "diff" "dirname" "echo" "egrep" "env" "expr" "false" "find"
        "grep" "gunzip" "gzip" "head" "hostname" "id" "kill" "ln" "ls" "md5sum" "mkdir" "mktemp" "mv" "nl" "nproc" "od" "paste"
        "patch" "printenv" "printf" "ps" "pwd" "readlink" "realpath" "rm" "rmdir" "sed" "seq" "sh" "sha256sum" "sleep" "sort"
        "stat" "tac" "tail" "tar" "tee" "test" "timeout" "touch" "tr" "true" "uname" "uniq" "wc" "which" "whoami" "xargs" "yes"
      ];

      each = f: builtins.listToAttrs (map (name: { inherit name; value = f name; }) [ "x86_64-linux" "aarch64-linux" ]);

      pins = if builtins.pathExists ./debian.json then builtins.fromJSON (builtins.readFile ./debian.json) else { };
      pinned = system: ((pins.${system} or { }).${name} or { narHash = ""; debs = { }; });

      source = system:
        let pin = pinned system; in
        {
          inherit name;
          inherit (pin) narHash;
          pins = "debian.json";
          parts = [
            {
              deb = if pin.debs ? ${package} then "${package}=${pin.debs.${package}}" else package;
              from = "bin/busybox";
              to = "bin/busybox";
            }
          ];
          links = builtins.listToAttrs (map (p: { name = "bin/${p}"; value = "busybox"; }) programs);
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
      packages = each (system: rec { lane-env = env system; default = lane-env; });

      # What `lane warm` fetches with the clients of this machine, lays together, checks and adds.
      laneSources = each (system: [ (source system) ]);
    };
}
