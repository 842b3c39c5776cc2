"""The version of the package, the same as that of the server."""

VERSION = "0.1.0"
