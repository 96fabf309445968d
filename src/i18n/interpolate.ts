const PLACEHOLDER = /\{(\w+)\}/g;

export type Values = Readonly<Record<string, string | number>>;

/** A text with its `{name}` placeholders filled in. One without a value stays as it is. */
export function interpolate(text: string, values: Values): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string) => String(values[name] ?? placeholder));
}

/** A text as its literal pieces, at even indices, and the names of its placeholders between them. */
export function splitPlaceholders(text: string): string[] {
  return text.split(PLACEHOLDER);
}
