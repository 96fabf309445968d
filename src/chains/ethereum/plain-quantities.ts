const ID = '"id":';
const RESULT = '"result":"0x';
const ZERO = 48;
/** Of 256 bits. */
const MOST_DIGITS = 64;

/**
 * Reads the answer to a batch of questions whose ids count up from `firstId`, when it has exactly the form in
 * which nodes write it: without spaces, in the order of the questions, every result a quantity. Null for any
 * other, however right it may be: JSON that this reads, `JSON.parse` and the schemas read as the same.
 */
export function readPlainQuantities(text: string, firstId: number, count: number): bigint[] | null {
  const head = '{"jsonrpc":"2.0",';
  const isIdFirst = text.startsWith(ID, 1 + head.length);
  const found: bigint[] = [];
  let at = 0;
  for (let id = firstId; id < firstId + count; id += 1) {
    const before = isIdFirst ? `${head}${ID}${id},${RESULT}` : `${head}${RESULT}`;
    const after = isIdFirst ? '"}' : `",${ID}${id}}`;
    if (text[at] !== (id === firstId ? '[' : ',') || !text.startsWith(before, at + 1)) return null;
    const start = at + 1 + before.length;
    let end = start;
    while (isHexDigit(text.charCodeAt(end))) end += 1;
    if (end === start || end - start > MOST_DIGITS || !text.startsWith(after, end)) return null;
    const isZero = end === start + 1 && text.charCodeAt(start) === ZERO;
    found.push(isZero ? 0n : BigInt(text.slice(start - 2, end)));
    at = end + after.length;
  }
  const tail = text.slice(at);
  // geth ends its answers with a new line.
  return tail === ']' || tail === ']\n' ? found : null;
}

function isHexDigit(code: number): boolean {
  return (code >= ZERO && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}
