"""Tables that only grow: PostgreSQL itself refuses to change or remove what was recorded."""

from __future__ import annotations

__all__ = ["CREATE_REFUSAL", "append_only"]

CREATE_REFUSAL = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a tabela % só aceita inclusão: % recusado', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation',
              HINT = 'Registre a correção como um novo fato; o registro anterior permanece.';
END
$$
"""


def append_only(table: str) -> list[str]:
    """The statements a migration executes to make ``table`` refuse UPDATE, DELETE and TRUNCATE.

    The refusal is per statement (even one that would touch no row) and holds in replica sessions.
    It needs `CREATE_REFUSAL`, which the first migration executed.
    """
    return [
        f'CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON "{table}" '
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
        f'ALTER TABLE "{table}" ENABLE ALWAYS TRIGGER only_grows',
    ]
