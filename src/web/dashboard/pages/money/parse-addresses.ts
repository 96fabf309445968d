/** A pasted or uploaded list of addresses. Lines are counted from 1. */
export interface ParsedAddresses {
  readonly addresses: readonly string[];
  /** The line of each address. */
  readonly lines: readonly number[];
  /** Lines that have no address of the coin. */
  readonly invalid: readonly number[];
  /** Lines with an address of an earlier line. */
  readonly duplicate: readonly number[];
}

const FORMS = {
  ETH: /^0x[0-9a-fA-F]{40}$/,
  SOL: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
} as const;
/** The heading of a column, such as "address" or "Wallet address". */
const HEADING = /^[\p{L} _-]{1,40}$/u;

/**
 * Reads one address a line: the first column of CSV or of a table. Further columns, such as labels, empty lines and a
 * header are ignored. Checksums are checked by the server.
 */
export function parseAddresses(coin: keyof typeof FORMS, text: string): ParsedAddresses {
  const addresses: string[] = [];
  const lines: number[] = [];
  const invalid: number[] = [];
  const duplicate: number[] = [];
  const known = new Set<string>();
  let isFirst = true;
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const cell = (line.split(/[,;\t]/)[0] ?? '').trim().replaceAll(/^"|"$/g, '').trim();
    if (line.trim() === '') continue;
    const isHeading = isFirst && HEADING.test(cell) && !FORMS[coin].test(cell);
    isFirst = false;
    if (isHeading) continue;
    const key = coin === 'ETH' ? cell.toLowerCase() : cell;
    if (!FORMS[coin].test(cell)) invalid.push(index + 1);
    else if (known.has(key)) duplicate.push(index + 1);
    else {
      known.add(key);
      addresses.push(cell);
      lines.push(index + 1);
    }
  }
  return { addresses, lines, invalid, duplicate };
}
