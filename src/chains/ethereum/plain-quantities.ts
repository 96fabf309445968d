const HEAD = bytesOf('{"jsonrpc":"2.0",');
const ID = bytesOf('"id":');
const NEXT = bytesOf(',');
const RESULT = bytesOf('"result":"0x');
const QUOTE = bytesOf('"');
const END = bytesOf('}');
const [OPENING, CLOSING, COMMA, NEW_LINE, ZERO] = [91, 93, 44, 10, 48];
/** Of 256 bits. */
const MOST_DIGITS = 64;

/**
 * Reads the answer to a batch of questions whose ids count up from `firstId`, when it has exactly the form in
 * which nodes write it: without spaces, in the order of the questions, every result a quantity. Null for any
 * other, however right it may be: JSON that this reads, `JSON.parse` and the schemas read as the same.
 * Byte by byte: ten thousand texts of balances that are all zero would be nothing but garbage.
 */
export function readPlainQuantities(answer: Uint8Array, firstId: number, count: number): bigint[] | null {
  const isIdFirst = hasAt(answer, 1 + HEAD.length, ID);
  const found: bigint[] = [];
  let at = 0;
  for (let id = firstId; id < firstId + count; id += 1) {
    if (answer[at] !== (id === firstId ? OPENING : COMMA)) return null;
    at = past(answer, at + 1, HEAD);
    if (isIdFirst) at = past(answer, pastNumber(answer, past(answer, at, ID), id), NEXT);
    const start = past(answer, at, RESULT);
    if (start < 0) return null;
    const end = pastDigits(answer, start);
    if (end === start || end - start > MOST_DIGITS) return null;
    at = past(answer, end, QUOTE);
    if (!isIdFirst) at = pastNumber(answer, past(answer, past(answer, at, NEXT), ID), id);
    at = past(answer, at, END);
    if (at < 0) return null;
    found.push(quantityAt(answer, start, end));
  }
  // geth ends its answers with a new line.
  const last = answer[answer.length - 1] === NEW_LINE ? answer.length - 2 : answer.length - 1;
  return last === at && answer[at] === CLOSING ? found : null;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function hasAt(answer: Uint8Array, at: number, expected: Uint8Array): boolean {
  if (at < 0) return false;
  for (let offset = 0; offset < expected.length; offset += 1) {
    if (answer[at + offset] !== expected[offset]) return false;
  }
  return true;
}

/** Where the answer goes on behind what is expected there; negative when it is not there, or `at` was negative. */
function past(answer: Uint8Array, at: number, expected: Uint8Array): number {
  return hasAt(answer, at, expected) ? at + expected.length : -1;
}

/** As past, of a positive whole number as JSON writes it. */
function pastNumber(answer: Uint8Array, at: number, number: number): number {
  if (at < 0) return -1;
  let digits = 1;
  for (let power = 10; power <= number; power *= 10) digits += 1;
  let rest = number;
  for (let place = at + digits - 1; place >= at; place -= 1) {
    const above = Math.floor(rest / 10);
    if (answer[place] !== ZERO + rest - above * 10) return -1;
    rest = above;
  }
  return at + digits;
}

function pastDigits(answer: Uint8Array, start: number): number {
  let end = start;
  while (isHexDigit(answer[end] ?? 0)) end += 1;
  return end;
}

function isHexDigit(code: number): boolean {
  return (code >= ZERO && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

function quantityAt(answer: Uint8Array, start: number, end: number): bigint {
  if (end === start + 1 && answer[start] === ZERO) return 0n;
  let digits = '0x';
  for (let at = start; at < end; at += 1) digits += String.fromCharCode(answer[at] ?? 0);
  return BigInt(digits);
}
