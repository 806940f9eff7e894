module example.org/embeds_files

go 1.21
