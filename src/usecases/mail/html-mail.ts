import { textDirection, type Language } from '../../i18n/languages.ts';

/** Host of a public address, as the name of this server in mails. */
export function hostName(baseUrl: string): string {
  return new URL(baseUrl).host;
}

/** A mail as simple HTML. @param paragraphs HTML: foreign texts must be escaped */
export function htmlMail(language: Language, paragraphs: readonly string[]): string {
  const body = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  // Also on the body, because some mail programs keep only what is in it.
  const dir = textDirection(language);
  return `<!doctype html>\n<html lang="${language}" dir="${dir}">\n<body dir="${dir}">\n${body}\n</body>\n</html>\n`;
}

/** A text as HTML. */
export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
