/** JSON whose numbers survive: what `JSON.parse` alone would round is kept as it was written. */

interface ReviverContext {
  readonly source?: string;
}
type Reviver = (this: unknown, key: string, value: unknown, context: ReviverContext) => unknown;

const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
const rawJson = (JSON as unknown as { rawJSON: (source: string) => unknown }).rawJSON;

/** Fractions come back as their source text (`'0.10000000'`), safe integers as numbers. */
export function parseKeepingDecimals(text: string): unknown {
  return parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    return /^-?\d+$/.test(source) && Number.isSafeInteger(value) ? value : source;
  });
}

/** Every number is kept as its source, so that `JSON.stringify` writes back the same digits. */
export function parseForRewriting(text: string): unknown {
  return parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? rawJson(source) : value,
  );
}
