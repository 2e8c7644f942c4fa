module gopher

go 1.19
