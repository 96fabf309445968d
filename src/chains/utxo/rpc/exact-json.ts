/** The node's JSON and amounts, parsed without turning a decimal into a float. */

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/;
const ATOM_DECIMALS = 8;
/** In characters: the maximum supply takes 17. */
const LONGEST_AMOUNT = 32;

/** Texts of at least this many bytes are not decoded to strings. */
const LONG_RESULT = 4_096;
const RESULT_START = Buffer.from('"result":"');
const MARK = 'long text';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses JSON-RPC replies, one or a batch, whose results may be texts of megabytes (raw blocks): a long one
 * is returned as separate bytes. Everything else goes through parseExactJson.
 */
export function parseReply(answer: Uint8Array<ArrayBuffer>): unknown {
  const { texts, rest } = withoutLongTexts(answer);
  if (texts.length === 0) return parseExactJson(rest);
  const parsed = parseExactJson(rest);
  let found = 0;
  for (const reply of [parsed].flat()) {
    if (typeof reply !== 'object' || reply === null || !('result' in reply)) continue;
    const text = texts.find((each) => each.mark === reply.result);
    if (text === undefined) continue;
    reply.result = texts.length === 1 ? text.bytes : text.bytes.slice();
    found += 1;
  }
  // A marker occurs twice or elsewhere: rare enough for the slow parser.
  return found === texts.length ? parsed : parseExactJson(sourceText(answer));
}

const TEXT_END = Buffer.from('","error":null');
/** The only long text of an answer begins and ends within this many bytes of either end. */
const MARGIN = 128;

/**
 * The same for one request whose result is megabytes of hex: if both ends of the answer have a node's usual
 * form, everything between them is used unchecked. The decoder checks each character anyway and fails on
 * anything but hex; searching for a quote and an escape first would double the cost.
 */
export function parseHexReply(answer: Uint8Array<ArrayBuffer>): unknown {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  const resultAt = bytes.subarray(0, MARGIN).indexOf(RESULT_START);
  const tailAt = Math.max(0, bytes.length - MARGIN);
  const endAt = bytes.subarray(tailAt).lastIndexOf(TEXT_END);
  const [start, end] = [resultAt + RESULT_START.length, tailAt + endAt];
  if (resultAt === -1 || endAt === -1 || end - start < LONG_RESULT) return parseReply(answer);
  return (
    parseAround(
      answer,
      { start, end },
      `${sourceText(answer.subarray(0, start))}${MARK}${sourceText(answer.subarray(end))}`,
    ) ?? parseReply(answer)
  );
}

const LIST_START = Buffer.from('"result":["');
const LIST_END = 0x5d;
/** Bytes of one id in a list of transaction ids: 64 hex digits, two quotes and a comma (the last one has none). */
export const TXID_ENTRY = 67;

/**
 * Parses a batch that has the list of the mempool's transaction ids as a result, 13 MB for 200,000: a list of
 * the usual length and form is returned as its bytes between the brackets, and never becomes strings. The
 * scanner checks every id (see scanTxids). Any other answer goes through parseReply.
 */
export function parseTxidsReply(answer: Uint8Array<ArrayBuffer>): unknown {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  const listAt = bytes.indexOf(LIST_START);
  const start = listAt + LIST_START.length - 1;
  const end = bytes.indexOf(LIST_END, start);
  if (listAt === -1 || end === -1 || (end - start + 1) % TXID_ENTRY !== 0) return parseReply(answer);
  const text = `${sourceText(answer.subarray(0, start - 1))}"${MARK}"${sourceText(answer.subarray(end + 1))}`;
  try {
    return parseAround(answer, { start, end }, text) ?? parseReply(answer);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return parseReply(answer);
  }
}

/**
 * Parses an answer in which the marker replaces a span, and returns the bytes of the span as that
 * result; null unless the marker is the result of exactly one reply.
 */
function parseAround(
  answer: Uint8Array<ArrayBuffer>,
  { start, end }: { readonly start: number; readonly end: number },
  text: string,
): unknown {
  const parsed = parseExactJson(text);
  let found = 0;
  for (const reply of [parsed].flat()) {
    if (typeof reply !== 'object' || reply === null || !('result' in reply) || reply.result !== MARK)
      continue;
    reply.result = answer.subarray(start, end);
    found += 1;
  }
  return found === 1 ? parsed : null;
}

interface LongText {
  /** The placeholder that replaces it. */
  readonly mark: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function withoutLongTexts(answer: Uint8Array<ArrayBuffer>): { texts: LongText[]; rest: string } {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  const texts: LongText[] = [];
  let rest = '';
  let copied = 0;
  for (let at = bytes.indexOf(RESULT_START); at !== -1; at = bytes.indexOf(RESULT_START, at)) {
    const start = at + RESULT_START.length;
    const end = bytes.indexOf(QUOTE, start);
    at = end === -1 ? bytes.length : end;
    const text = answer.subarray(start, at);
    if (end === -1 || text.length < LONG_RESULT || hasByte(text, BACKSLASH)) continue;
    const mark = `${MARK} ${texts.length}`;
    rest += sourceText(answer.subarray(copied, start)) + mark;
    copied = end;
    texts.push({ mark, bytes: text });
  }
  return { texts, rest: rest + sourceText(answer.subarray(copied)) };
}

/** Buffer's search is several times faster than an array's. */
function hasByte(text: Uint8Array<ArrayBuffer>, byte: number): boolean {
  return Buffer.from(text.buffer, text.byteOffset, text.byteLength).includes(byte);
}

const decoder = new TextDecoder();

function sourceText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/**
 * Parses JSON; numbers with a fraction or exponent are returned as their source text. Big texts
 * without any "." (raw blocks, lists of ids) use the fast path, because they contain no decimals.
 */
export function parseExactJson(text: string): unknown {
  return text.includes('.') ? JSON.parse(text, keepDecimals) : JSON.parse(text);
}

function keepDecimals(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && /[.eE]/.test(source) ? source : value;
}

/** A node's coin amount (12, "0.00001000", 1e-5) in atoms, exactly; null when it is not an amount. */
export function parseAtoms(value: number | string): bigint | null {
  const text = String(value);
  const match = text.length > LONGEST_AMOUNT ? null : NUMBER.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = ATOM_DECIMALS + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const scale = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % scale !== 0n) return null;
  const atoms = shift < 0 ? digits / scale : digits * scale;
  return sign === '-' ? -atoms : atoms;
}
