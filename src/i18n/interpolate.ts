const PLACEHOLDER = /\{(\w+)\}/g;
const ARABIC = /[\u0600-\u06ff]/u;
/** First strong isolate and pop directional isolate (UAX 9). */
const ISOLATE = '\u2068';
const END_OF_ISOLATE = '\u2069';

export type Values = Readonly<Record<string, string | number>>;

/**
 * A text with its `{name}` placeholders filled in. One without a value stays as it is. In a right-to-left text each value
 * is isolated, because an amount, an address or a name would else be reordered with the words around it.
 */
export function interpolate(text: string, values: Values): string {
  const isIsolated = isRightToLeft(text);
  return text.replace(PLACEHOLDER, (placeholder, name: string) => {
    const value = String(values[name] ?? placeholder);
    return isIsolated && value !== '' ? `${ISOLATE}${value}${END_OF_ISOLATE}` : value;
  });
}

/** Whether a text of `locales` is written from right to left. */
function isRightToLeft(text: string): boolean {
  return ARABIC.test(text);
}

/** A text as its literal pieces, at even indices, and the names of its placeholders between them. */
export function splitPlaceholders(text: string): string[] {
  return text.split(PLACEHOLDER);
}
