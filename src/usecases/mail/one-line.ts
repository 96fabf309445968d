/** A name as mails repeat it: it cannot begin a line of its own, nor turn what stands around it. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim();
}
