"""Brazilian telephones: one canonical number (E.164), whatever was typed or whatever WhatsApp calls it.

phonenumbers says which numbers exist; what it guesses, we decide first. It reads a local number as one of another
area code (`3642-2234` as +55 36 …) and letters as digits, and so neither reaches it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import phonenumbers
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from accounts.identifiers.typed import BadIdentifier, Unconfirmed, plain

TYPED_PATTERN = r"^\+?[0-9()\-. ]+$"

_TYPED = re.compile(TYPED_PATTERN[1:-1])
_E164 = re.compile(r"\+55[0-9]{9,11}")
_AREA_CODE = re.compile(r"[1-9][0-9]")
_WITHOUT_AREA_CODE = re.compile(r"0[3589]00[0-9]{6,7}")
_NO_NINTH_DIGIT = re.compile(r"[1-9][1-9][6-9][0-9]{7}")
_WHATSAPP = re.compile(r"([0-9]{8,15})(?::[0-9]{1,3})?(?:@(?:s\.whatsapp\.net|c\.us))?")
_SERVICES = frozenset({"100", "180", "181", "188", "190", "191", "192", "193", "194", "197", "198", "199"})
_LAST_AREA_CODE_WITH_WHOLE_WHATSAPP_IDS = 28
_ANSWERED = {
    PhoneNumberType.MOBILE,
    PhoneNumberType.FIXED_LINE,
    PhoneNumberType.FIXED_LINE_OR_MOBILE,
    PhoneNumberType.TOLL_FREE,
}


@dataclass(frozen=True, slots=True, repr=False)
class Phone:
    """A number in E.164, `+5569992841234`; the one form to store, compare and block. Raises ``BadIdentifier``.

    ``str()`` is the masked form; whoever needs the number asks for ``e164``.
    """

    e164: str

    def __post_init__(self) -> None:
        if _E164.fullmatch(self.e164) is None or not _exists(self.e164):
            raise BadIdentifier("telefone inválido")

    @property
    def is_mobile(self) -> bool:
        """Whether it can receive a text message."""
        return phonenumbers.number_type(phonenumbers.parse(self.e164)) == PhoneNumberType.MOBILE

    @property
    def formatted(self) -> str:
        """`(69) 99284-1234`."""
        return phonenumbers.format_number(phonenumbers.parse(self.e164), PhoneNumberFormat.NATIONAL)

    @property
    def masked(self) -> str:
        """`+55******1234`: the same number of stars for every number."""
        return f"+55******{self.e164[-4:]}"

    def __str__(self) -> str:
        return self.masked

    def __repr__(self) -> str:
        return f"Phone({self.masked})"


def parse_phone(typed: str, area_code: str | None) -> Phone:
    """Read a number as typed in a town whose area code is ``area_code`` (None: it must be typed).

    Raises ``Unconfirmed`` for a mobile number without its ninth digit, which is proposed and never added unasked, and
    ``BadIdentifier``.
    """
    text = plain(typed)
    if _TYPED.fullmatch(text) is None:
        raise BadIdentifier("telefone são só números, como (69) 99284-1234")
    digits = re.sub("[^0-9]", "", text)
    if digits in _SERVICES:
        raise BadIdentifier("este é um número de emergência ou de serviço público, não o de uma pessoa")
    national = _national(digits, area_code, international=text.startswith("+"))
    if _exists(f"+55{national}"):
        return Phone(f"+55{national}")
    whole = f"+55{national[:2]}9{national[2:]}"
    if _NO_NINTH_DIGIT.fullmatch(national) and _exists(whole):
        proposal = Phone(whole).formatted
        raise Unconfirmed(f"falta o nono dígito? Se o número é {proposal}, informe-o assim", proposal)
    raise BadIdentifier("este telefone não existe; confira o DDD e os números")


def whatsapp_ids(phone: Phone) -> tuple[str, ...]:
    """The ids under which WhatsApp may know a number, the present one first.

    Beyond area code 28 accounts made before the ninth digit still go without it. Replies go to the id that wrote, so
    it is kept beside the number; blocks and look-ups go by the number.
    """
    whole = phone.e164[1:]
    if int(whole[2:4]) > _LAST_AREA_CODE_WITH_WHOLE_WHATSAPP_IDS and len(whole) == 13 and whole[4] == "9":
        return (whole, whole[:4] + whole[5:])
    return (whole,)


def phone_of_whatsapp(wa_id: str) -> Phone:
    """The number behind a WhatsApp id such as `556992841234@s.whatsapp.net`. Raises ``BadIdentifier``.

    The ninth digit that the id may lack is put back: here the account is known to exist, and nobody can be asked.
    """
    match = _WHATSAPP.fullmatch(wa_id)
    if match is None or not match[1].startswith("55"):
        raise BadIdentifier("este contato do WhatsApp não mostra um telefone do Brasil")
    national = match[1][2:]
    if _NO_NINTH_DIGIT.fullmatch(national) and int(national[:2]) > _LAST_AREA_CODE_WITH_WHOLE_WHATSAPP_IDS:
        national = f"{national[:2]}9{national[2:]}"
    return Phone(f"+55{national}")


def _national(digits: str, area_code: str | None, *, international: bool) -> str:
    """Area code and number, without country code, trunk zero or carrier. Raises ``BadIdentifier``."""
    if international or digits.startswith("00"):
        digits = digits if international else digits[2:]
        if not digits.startswith("55"):
            raise BadIdentifier("só atendemos telefones do Brasil (+55)")
        return digits[2:]
    if len(digits) in (12, 13) and digits.startswith("55"):  # with eleven, 55 is an area code
        return digits[2:]
    if _WITHOUT_AREA_CODE.fullmatch(digits):
        return digits[1:]
    if digits.startswith("0"):
        rest = digits[1:]
        return rest[2:] if len(rest) in (12, 13) else rest  # the carrier's two digits
    if len(digits) in (8, 9):
        if area_code is None:
            raise BadIdentifier("informe o DDD, como em (69) 99284-1234")
        if _AREA_CODE.fullmatch(area_code) is None:
            raise ValueError(f"not an area code: {area_code!r}")
        return area_code + digits
    return digits


def _exists(e164: str) -> bool:
    """Whether the numbering plan has it, as a number that people answer. Never raises."""
    if _E164.fullmatch(e164) is None:
        return False
    number = phonenumbers.parse(e164)
    if not phonenumbers.is_valid_number(number) or phonenumbers.number_type(number) not in _ANSWERED:
        return False
    return phonenumbers.format_number(number, PhoneNumberFormat.E164) == e164  # it read all of it, and only it
