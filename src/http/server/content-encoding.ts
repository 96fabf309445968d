/** Content codings that the daemon produces, the preferred one first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A weight of RFC 9110, 12.4.2: 0 to 1 with at most three decimals. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
/** RFC 9110, 8.4.1.3: the older name of gzip. */
const ALIASES: ReadonlyMap<string, string> = new Map([['x-gzip', 'gzip']]);

/**
 * The content coding of a response (RFC 9110, 12.5.3); null: none. A request without the header gets none, because
 * programs that cannot decode omit it.
 */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding | null {
  if (acceptEncoding === undefined) return null;
  const weights = readWeights(acceptEncoding);
  const others = weights.get('*') ?? 0;
  let chosen: Encoding | null = null;
  // Unless the client prefers it, identity is the fallback when no coding is acceptable.
  let best = weights.get('identity') ?? 0;
  for (const encoding of ENCODINGS) {
    const weight = weights.get(encoding) ?? others;
    const isBetter = chosen === null ? weight >= best && weight > 0 : weight > best;
    if (!isBetter) continue;
    chosen = encoding;
    best = weight;
  }
  return chosen;
}

/** The weight of each listed coding; one with a malformed weight is not acceptable. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    if (name === '') continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    weights.set(ALIASES.get(name) ?? name, WEIGHT.test(weight) ? Number(weight) : 0);
  }
  return weights;
}
