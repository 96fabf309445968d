import { ApiError } from './client.ts';
import type { Pagination } from '../contract/types.ts';

const PAGE = 100;
/** A file with more lines belongs to a report by the API, not to a browser. */
const MOST = 50_000;
/** Tells spreadsheets that the text is UTF-8. */
const MARK = '\uFEFF';

/** Quotes what needs it, and disarms texts a spreadsheet would run as a formula. */
function cell(value: string): string {
  const safe = /^\s*[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A list as a table: where its pages come from, and what stands in its columns. */
export interface Sheet<T extends { readonly id: string }> {
  readonly read: (page: {
    readonly page: number;
    readonly limit: number;
  }) => Promise<{ readonly entries: readonly T[]; readonly pagination: Pagination }>;
  readonly columns: Readonly<Record<string, (entry: T) => string | null>>;
  readonly tooMany: (numbers: { readonly total: number; readonly most: number }) => string;
}

export type Progress = (done: number, total: number) => void;

/**
 * Every entry that a filter lets through, all pages of them, as CSV (RFC 4180).
 * @param onProgress told how many of how many are there
 * @throws {ApiError} when they are too many for one file
 */
export async function sheetCsv<T extends { readonly id: string }>(
  { read, columns, tooMany }: Sheet<T>,
  onProgress: Progress,
): Promise<string> {
  // By id: what is made meanwhile pushes others onto the next page, where they come once more.
  const lines = new Map<string, string>();
  const line = (entry: T): string =>
    Object.values(columns)
      .map((column) => cell(column(entry) ?? ''))
      .join(',');
  for (let page = 1; ; page += 1) {
    const { entries, pagination } = await read({ page, limit: PAGE });
    const { total } = pagination;
    if (total > MOST) throw new ApiError(0, 'TOO_MANY', tooMany({ total, most: MOST }));
    for (const entry of entries) lines.set(entry.id, line(entry));
    onProgress(lines.size, total);
    if (page * PAGE >= total) break;
  }
  return `${MARK}${[Object.keys(columns).join(','), ...lines.values()].join('\r\n')}\r\n`;
}
