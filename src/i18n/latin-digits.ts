const ARABIC_DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/gu;

/** A typed number with the digits and separators of an Arabic or Persian keyboard replaced by those of `1,234.50`. */
export function toLatinDigits(text: string): string {
  return text
    .replace(ARABIC_DIGITS, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))
    .replaceAll('\u066b', '.')
    .replaceAll('\u066c', ',');
}
