"""Kept where: PostgreSQL and Valkey, embedded or not, and migrations. Knows nobody's rules."""
