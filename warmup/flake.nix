{
  description = "Environments that most projects need, to be warmed before anybody waits: lane warm --flake warmup";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      forAllSystems = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = forAllSystems (
        pkgs:
        let
          environment =
            name: tools:
            pkgs.buildEnv {
              inherit name;
              paths = tools ++ [
                pkgs.bash
                pkgs.coreutils
                pkgs.tzdata
              ];
              pathsToLink = [
                "/bin"
                "/share/zoneinfo"
              ];
            };
        in
        {
          python = environment "python" [
            (pkgs.python3.withPackages (python: [
              python.pytest
              python.pytest-cov
            ]))
          ];
          go = environment "go" [ pkgs.go ];
          node = environment "node" [ pkgs.nodejs ];
          rust = environment "rust" [
            pkgs.cargo
            pkgs.rustc
            pkgs.gcc
          ];
          shell = environment "shell" [
            pkgs.diffutils
            pkgs.findutils
            pkgs.gawk
            pkgs.gnugrep
            pkgs.gnused
          ];
        }
      );
    };
}
