"""Documents, plates and telephones as people type them: read strictly, kept in one form, shown masked.

Every value refuses to be built wrong, and shows itself masked in ``str`` and ``repr``, so that a log line or an error
never gives away more than a screen may. The traps these readers are held to are in tests/accounts/test_identifiers.py.
"""

from accounts.identifiers.documents import Cnh, Cnpj, Cpf, parse_cnh, parse_cnpj, parse_cpf
from accounts.identifiers.phone import Phone, parse_phone, phone_of_whatsapp, whatsapp_ids
from accounts.identifiers.plate import Plate, parse_plate
from accounts.identifiers.typed import BadIdentifier, Unconfirmed

__all__ = [
    "BadIdentifier",
    "Cnh",
    "Cnpj",
    "Cpf",
    "Phone",
    "Plate",
    "Unconfirmed",
    "parse_cnh",
    "parse_cnpj",
    "parse_cpf",
    "parse_phone",
    "parse_plate",
    "phone_of_whatsapp",
    "whatsapp_ids",
]
