/** JSON and amounts of a node, without ever turning a decimal into a float. */

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/;
const ATOM_DECIMALS = 8;

/** Texts from this length on are not copied once more to be parsed. */
const LONG_RESULT = 4_096;
const RESULT_START = '{"result":"';

/**
 * Parses a JSON-RPC reply. One whose result is a single long text (a raw block: megabytes) is cut
 * around it, its characters left to whoever reads it; every other goes through parseExactJson.
 */
export function parseReply(text: string): unknown {
  const end = text.startsWith(RESULT_START) ? text.indexOf('"', RESULT_START.length) : -1;
  if (end < LONG_RESULT) return parseExactJson(text);
  const result = text.slice(RESULT_START.length, end);
  const around = parseExactJson(RESULT_START + text.slice(end));
  const isPlain = typeof around === 'object' && around !== null && 'result' in around && around.result === '';
  // An escape, or the same name twice: rare enough to be read the long way.
  if (!isPlain || result.includes('\\')) return parseExactJson(text);
  return { ...around, result };
}

/**
 * Parses JSON; numbers with a fraction or exponent come back as their source text. Big texts
 * without any "." (raw blocks, lists of ids) take the fast path, for they hold no decimals.
 */
export function parseExactJson(text: string): unknown {
  return text.includes('.') ? JSON.parse(text, keepDecimals) : JSON.parse(text);
}

function keepDecimals(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && /[.eE]/.test(source) ? source : value;
}

/** A node's coin amount (12, "0.00001000", 1e-5) in atoms, exactly; null when it is none. */
export function atomsOf(value: number | string): bigint | null {
  const match = NUMBER.exec(String(value));
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = ATOM_DECIMALS + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const scale = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % scale !== 0n) return null;
  const atoms = shift < 0 ? digits / scale : digits * scale;
  return sign === '-' ? -atoms : atoms;
}
