/** Text that is HTML already; all other values are escaped on insertion. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function rendered(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(rendered).join('') : escaped(String(part));
}

/** Template for HTML: inserted values are escaped unless they are `Html`. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + rendered(parts[index] ?? null)).join(''));
}

/** A line of prose in which `backticks` mark code. */
export function prose(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?/g;

/** JSON, indented and coloured. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  const parts: Html[] = [];
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    parts.push(html`${text.slice(from, match.index)}`);
    if (string === undefined) parts.push(html`<i class="v">${whole}</i>`);
    else if (colon === undefined) parts.push(html`<i class="s">${string}</i>`);
    else parts.push(html`<i class="k">${string}</i>${colon}`);
    from = match.index + whole.length;
  }
  return html`${parts}${text.slice(from)}`;
}

/** A block of code with a title over it. */
export function codeBlock(title: string, code: Html | string): Html {
  return html`<figure class="code">
    <figcaption>${title}</figcaption>
    <pre tabindex="0"><code>${code}</code></pre>
  </figure>`;
}
