{
  description = "Lane verifies a change that someone else wrote, and says how much the answer is worth";

  # One input on purpose: nothing else can drift.
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;

      # Checks run on Linux alone; specs, verdicts and the gate are read anywhere.
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forAllSystems = f: lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});

      laneFor =
        pkgs:
        pkgs.callPackage ./nix/package.nix {
          commit = self.rev or self.dirtyRev or "unknown";
        };
    in
    {
      packages = forAllSystems (pkgs: rec {
        lane = laneFor pkgs;
        default = lane;
      });

      apps = forAllSystems (pkgs: rec {
        lane = {
          type = "app";
          program = lib.getExe (laneFor pkgs);
          meta.description = "Verify a change against its spec";
        };
        default = lane;
      });

      overlays.default = final: _prev: { lane = laneFor final; };

      checks = forAllSystems (pkgs: {
        lane = laneFor pkgs;

        # The suite itself needs namespaces and a Nix of its own, so it runs outside of Nix, as `make test`.
        version = pkgs.runCommand "lane-version" { nativeBuildInputs = [ (laneFor pkgs) ]; } ''
          lane version | grep -F '${lib.fileContents ./VERSION}'
          touch $out
        '';
      });

      devShells = forAllSystems (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.go_1_26
            pkgs.gopls
            pkgs.go-tools
            pkgs.git
            pkgs.gnumake
          ];
          env.GOTOOLCHAIN = "local";
        };
      });

      formatter = forAllSystems (pkgs: pkgs.nixfmt-tree);

      templates = rec {
        default = go;
        go = {
          path = ./nix/templates/go;
          description = "Lane environment for a Go project: the Go toolchain, a shell and time zones";
          welcomeText = ''
            Edit `lane.toml`, commit both flake files, then run `lane check`.
          '';
        };
        python = {
          path = ./nix/templates/python;
          description = "Lane environment for a Python project: Python with pytest, a shell and time zones";
        };
        node = {
          path = ./nix/templates/node;
          description = "Lane environment for a Node project: Node with npm, a shell and time zones";
        };
      };
    };
}
