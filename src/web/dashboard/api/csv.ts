import { escapeCsvCell } from '../../../i18n/csv-cell.ts';
import { ApiError } from './client.ts';
import type { Pagination } from '../contract/types.ts';

const PAGE = 100;
/** A file with more lines should come from the API, not from a browser. */
const MOST = 50_000;
/** Byte order mark for spreadsheets (UTF-8). */
const BOM = '\uFEFF';

/** A list as a table: the source of its pages, and its columns. */
export interface CsvExport<T extends { readonly id: string }> {
  readonly read: (page: {
    readonly page: number;
    readonly limit: number;
  }) => Promise<{ readonly entries: readonly T[]; readonly pagination: Pagination }>;
  readonly columns: Readonly<Record<string, (entry: T) => string | null>>;
  readonly tooMany: (numbers: { readonly total: number; readonly most: number }) => string;
}

export type Progress = (done: number, total: number) => void;

/**
 * Every entry that matches a filter, over all pages, as CSV (RFC 4180).
 * @param onProgress called with the loaded and the total number
 * @throws {ApiError} if there are too many for one file
 */
export async function exportCsv<T extends { readonly id: string }>(
  { read, columns, tooMany }: CsvExport<T>,
  onProgress: Progress,
): Promise<string> {
  // By id, because new entries move others to the next page, where they occur again.
  const lines = new Map<string, string>();
  const line = (entry: T): string =>
    Object.values(columns)
      .map((column) => escapeCsvCell(column(entry) ?? ''))
      .join(',');
  for (let page = 1; ; page += 1) {
    const { entries, pagination } = await read({ page, limit: PAGE });
    const { total } = pagination;
    if (total > MOST) throw new ApiError(0, 'TOO_MANY', tooMany({ total, most: MOST }));
    for (const entry of entries) lines.set(entry.id, line(entry));
    onProgress(lines.size, total);
    if (page * PAGE >= total) break;
  }
  return `${BOM}${[Object.keys(columns).join(','), ...lines.values()].join('\r\n')}\r\n`;
}
