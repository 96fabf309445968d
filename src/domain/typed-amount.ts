/** Number format of a language. */
export interface NumberSigns {
  readonly decimal: string;
  readonly group: string;
}

const BLANKS = /[\s'’]/gu;
const GROUPED = /^\d{1,3}(?:([.,])\d{3})+$/;
const LONGEST = 40;

/**
 * An amount as a person typed it, as a decimal string; null if it is invalid or ambiguous. Comma and point
 * are both understood: 12,50 and 12.50, 1.234,50 and 1,234.50. With three digits after a single separator,
 * the language decides.
 * @param digits decimals that the currency has: more are rejected, never truncated
 */
export function parseTypedAmount(typed: string, signs: NumberSigns, digits: number): string | null {
  const text = typed.replace(BLANKS, '');
  if (text.length > LONGEST || !/^[\d.,]+$/.test(text)) return null;
  const decimal = findDecimalSign(text, signs);
  if (decimal === undefined) return null;
  const [whole = '', fraction = '', ...more] = decimal === null ? [text] : text.split(decimal);
  const grouped = /[.,]/.test(whole);
  if (more.length > 0 || /[.,]/.test(fraction) || (grouped && !GROUPED.test(whole))) return null;
  if (grouped && new Set(whole.replace(/\d/g, '')).size > 1) return null;
  const plain = whole.replace(/[.,]/g, '').replace(/^0+(?=\d)/, '');
  if (fraction.length > digits || (plain === '' && fraction === '')) return null;
  const amount = plain === '' ? '0' : plain;
  return fraction === '' ? amount : `${amount}.${fraction}`;
}

/** The decimal separator, null without one; undefined when ambiguous. */
function findDecimalSign(text: string, signs: NumberSigns): string | null | undefined {
  const used = [...new Set(text.replace(/\d/g, ''))];
  const last = text.at(Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))) ?? '';
  if (used.length === 0) return null;
  // Two separators: the last one is the decimal separator and occurs once.
  if (used.length === 2) return last;
  const [sign = ''] = used;
  const parts = text.split(sign);
  if (parts.length > 2) return null;
  if (parts[1]?.length !== 3) return sign;
  if (sign === signs.decimal) return sign;
  return sign === signs.group ? null : undefined;
}
