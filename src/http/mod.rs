//! The HTTP face: shapes in, shapes out, and nothing that decides.
