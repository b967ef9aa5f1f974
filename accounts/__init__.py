"""Who is asking: roles, sign-in, tokens, identifiers, and the duties of privacy."""
