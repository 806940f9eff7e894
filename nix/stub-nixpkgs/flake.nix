{
  # Tests cannot reach nixpkgs. This input answers in its place, with just the names that our flakes may use, and
  # throws on what the real one would refuse: a missing file, an unknown licence, a malformed hash.
  # It builds nothing: every derivation in it has a builder that fails.
  description = "Stand-in for nixpkgs that lets the tests evaluate our flakes offline";

  outputs =
    { self }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];

      need = ok: msg: value: if ok then value else throw "stub-nixpkgs: ${msg}";
      rule = ok: msg: { inherit ok msg; };
      needAll =
        what: rules: value:
        builtins.foldl' (rest: rule: need rule.ok "${what}: ${rule.msg}" rest) value rules;
      isText = value: builtins.isString value && value != "";
      isTexts = value: builtins.isList value && builtins.all isText value;
      isDrv = value: builtins.isAttrs value && value.type or "" == "derivation";
      isDrvs = value: builtins.isList value && builtins.all isDrv value;
      hasPrefix = prefix: text: builtins.substring 0 (builtins.stringLength prefix) text == prefix;
      genAttrs =
        names: f:
        builtins.listToAttrs (
          map (name: {
            inherit name;
            value = f name;
          }) names
        );

      lib = {
        inherit genAttrs;
        fileContents = path: builtins.head (builtins.match "(.*[^\n])?\n*" (builtins.readFile path));
        importJSON = path: builtins.fromJSON (builtins.readFile path);
        getExe =
          drv:
          need (isDrv drv && isText (drv.meta.mainProgram or null)) "getExe needs a package with meta.mainProgram"
            "${drv}/bin/${drv.meta.mainProgram}";
        licenses = {
          asl20 = {
            spdxId = "Apache-2.0";
            fullName = "Apache License 2.0";
          };
        };
        platforms.unix = systems;
        fileset = {
          maybeMissing = path: if builtins.pathExists path then [ path ] else [ ];
          unions = builtins.concatMap (
            part:
            if builtins.isList part then
              part
            else
              need (builtins.pathExists part) "fileset names ${toString part}, which does not exist" [ part ]
          );
          toSource =
            { root, fileset }:
            builtins.path {
              name = "source";
              path = root;
              filter =
                path: type:
                builtins.any (
                  part:
                  path == toString part
                  || hasPrefix "${toString part}/" path
                  || type == "directory" && hasPrefix "${path}/" (toString part)
                ) fileset;
            };
        };
      };

      pkgsFor =
        system:
        let
          drv =
            name: attrs: extra:
            derivation (
              {
                inherit name system;
                builder = "/stub-nixpkgs-builds-nothing";
              }
              // attrs
            )
            // extra;

          # Names seen in nixpkgs at the locked revision's release; a flake that uses another one fails here first.
          plain =
            genAttrs
              [
                "bash"
                "cargo"
                "coreutils"
                "diffutils"
                "findutils"
                "gawk"
                "gcc"
                "git"
                "gnugrep"
                "gnumake"
                "gnused"
                "go"
                "go-tools"
                "go_1_26"
                "gopls"
                "nixfmt-tree"
                "nodejs"
                "rustc"
                "tzdata"
              ]
              (name: drv name { } { meta.mainProgram = name; });

          pkgs = plain // {
            inherit lib;
            stdenv.hostPlatform = {
              inherit system;
            };
            python3.withPackages = pick: drv "python3-env" { paths = pick (genAttrs [ "pytest" "pytest-cov" ] (name: drv name { } { })); } { };

            callPackage =
              file: args:
              let
                f = import file;
                wants = builtins.functionArgs f;
                known = builtins.intersectAttrs wants pkgs // args;
                missing = builtins.filter (name: !(wants.${name} || known ? ${name})) (builtins.attrNames wants);
              in
              need (missing == [ ]) "callPackage: no package named ${toString missing}" (f known);

            buildGo126Module =
              args:
              let
                meta = args.meta or { };
                hash = args.vendorHash or "missing";
              in
              needAll "buildGoModule" [
                (rule (isText (args.pname or null)) "pname is missing")
                (rule (
                  builtins.match "[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.]+)?" (args.version or "") != null
                ) "version is not a release number")
                (rule (
                  hash == null || builtins.match "sha256-[A-Za-z0-9+/]{43}=" hash != null
                ) "vendorHash is not an SRI SHA-256 hash: ${toString hash}")
                (rule (isTexts (args.subPackages or null)) "subPackages is not a list of folders")
                (rule (isTexts (args.ldflags or null)) "ldflags is not a list of strings")
                (rule (builtins.all isText (builtins.attrValues (args.env or { }))) "env holds more than strings")
                (rule (isText (meta.description or null)) "meta.description is missing")
                (rule (isText (meta.mainProgram or null)) "meta.mainProgram is missing")
                (rule (builtins.elem (meta.license or null) (
                  builtins.attrValues lib.licenses
                )) "meta.license is not from lib.licenses")
              ]
                (
                  drv "${args.pname}-${args.version}" { inherit (args) src ldflags subPackages; } {
                    inherit meta;
                    inherit (args) src version vendorHash;
                  }
                );

            buildEnv =
              {
                name,
                paths,
                pathsToLink ? [ "/" ],
              }:
              need (isText name && isDrvs paths && isTexts pathsToLink) "buildEnv ${name}: wrong argument" (
                drv name { inherit paths pathsToLink; } { }
              );

            mkShell =
              {
                packages,
                env ? { },
              }:
              need (
                isDrvs packages && builtins.all isText (builtins.attrValues env)
              ) "mkShell: wrong argument" (drv "nix-shell" (env // { inherit packages; }) { });

            runCommand =
              name: attrs: script:
              need (isText name && isText script) "runCommand ${name}: wrong argument" (
                drv name (attrs // { inherit script; }) { }
              );
          };
        in
        pkgs;
    in
    {
      inherit lib;
      legacyPackages = genAttrs systems pkgsFor;
    };
}
