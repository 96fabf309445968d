/**
 * A name for use in mails: it can neither start a new line nor change the direction of the text around it.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim();
}
