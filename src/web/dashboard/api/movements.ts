import { download } from './download.ts';
import { fetchFile } from './fetch-file.ts';
import type { Mode } from './mode.ts';

const DAY_MS = 86_400_000;
/** The form's names for rejected fields of the API. */
const FORM_FIELDS: Readonly<Record<string, string>> = { from: 'first', to: 'last' };

export interface MovementsFilter {
  readonly merchantId: string;
  /** The shop's current one when undefined. */
  readonly mode: Mode | undefined;
  /** The first and the last day, both included. */
  readonly first: string;
  readonly last: string;
  readonly timeZone: string;
  readonly format: string;
}

/**
 * Downloads the movements of a range as a file, streamed to disk by the browser because it may be long.
 * @throws {ApiError} also if the response was aborted, so that a partial file is not taken for a complete one
 */
export async function downloadMovements({ last, first, mode, ...filter }: MovementsFilter): Promise<void> {
  const range = { from: first, to: dayAfter(last), ...(mode === undefined ? {} : { mode }) };
  const query = new URLSearchParams({ ...filter, ...range });
  const file = await fetchFile(`/payment/export?${query}`, FORM_FIELDS);
  download(`movements-${first}-${last}.${filter.format}`, file);
}

export interface MonthFilter {
  readonly merchantId: string;
  /** The shop's current one when undefined. */
  readonly mode: Mode | undefined;
  readonly month: string;
  readonly timeZone: string;
  /** Of a PDF. */
  readonly language: string;
  readonly format: string;
}

/** Downloads the figures of a month as a file. @throws {ApiError} */
export async function downloadMonth({ mode, ...filter }: MonthFilter): Promise<void> {
  const query = new URLSearchParams({ ...filter, ...(mode === undefined ? {} : { mode }) });
  download(`month-${filter.month}.${filter.format}`, await fetchFile(`/payment/month-report?${query}`));
}

/** An invalid day is sent unchanged; the server rejects it. */
function dayAfter(day: string): string {
  const at = Date.parse(day);
  return Number.isNaN(at) ? day : new Date(at + DAY_MS).toISOString().slice(0, 10);
}
