//! What can be set: one struct a section, flags with an environment variable each.
