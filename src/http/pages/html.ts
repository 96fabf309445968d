/** HTML that is safe to insert into a page. Only the `html` tag creates it. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Part = Html | string | number | null | false | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function render(part: Part): string {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object') return part.map(render).join('');
  return String(part).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Tagged template: inserted values are escaped unless they are `Html`; null and false are omitted. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, piece, index) => text + render(parts[index - 1] ?? null) + piece));
}

/** Data for a script, in an element that no browser executes. */
export function jsonElement(id: string, data: unknown): Html {
  const json = JSON.stringify(data).replace(/</g, '\\u003c');
  return new Html(`<script type="application/json" id="${id}">${json}</script>`);
}
