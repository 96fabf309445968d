import { plainAmount } from '../../format/decimal.ts';

/** A recipient as it was typed. */
export interface TypedRecipient {
  readonly destination: string;
  readonly amount: string;
}

/**
 * Recipients of pasted text: lines of CSV or of a table with an address and an amount, in any columns next to each
 * other. Lines without an amount, such as the header, are left out; none in text that is no such table.
 */
export function parseRecipients(text: string): TypedRecipient[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const cells = splitCells(line);
    const at = cells.findIndex((cell) => /^[a-zA-Z0-9:]{20,}$/.test(cell));
    const destination = cells[at];
    const amount = plainAmount(cells[at + 1] ?? '');
    return destination === undefined || !/^\d+(\.\d+)?$/.test(amount) ? [] : [{ destination, amount }];
  });
}

/** A tab or semicolon separates cells before a comma does, which may be part of an amount. */
function splitCells(line: string): string[] {
  const separator = ['\t', ';', ','].find((one) => line.includes(one)) ?? /\s+/;
  return line.split(separator).map((cell) => cell.trim().replaceAll(/^"|"$/g, ''));
}
