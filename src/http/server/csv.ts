import { escapeCsvCell } from '../../i18n/csv-cell.ts';

/** Byte order mark: without it spreadsheets garble non-ASCII text. */
const BOM = '\uFEFF';

export interface CsvColumn<T> {
  readonly name: keyof T & string;
  /** Numbers are written unchanged, with their sign; texts are escaped. */
  readonly isNumber?: true;
}

/**
 * Rows as a CSV file (RFC 4180) with a header, page by page. Nothing is sent before the first page is read.
 */
export async function* csv<T extends { readonly [K in keyof T]: string | null }>(
  columns: readonly CsvColumn<T>[],
  pages: AsyncIterable<readonly T[]>,
): AsyncGenerator<string, void> {
  let head = `${BOM}${columns.map(({ name }) => name).join(',')}\r\n`;
  for await (const page of pages) {
    yield head + page.map((row) => csvRow(columns, row)).join('');
    head = '';
  }
  if (head !== '') yield head;
}

function csvRow<T extends { readonly [K in keyof T]: string | null }>(
  columns: readonly CsvColumn<T>[],
  row: T,
): string {
  const cells = columns.map(({ name, isNumber }) => {
    const value = row[name] ?? '';
    return isNumber === true ? value : escapeCsvCell(value);
  });
  return `${cells.join(',')}\r\n`;
}
