import { ApiError } from './client.ts';
import { download } from './download.ts';
import { PAGE_HEADERS } from '../../page-headers.ts';
import type { Mode } from './mode.ts';
import { loseSession, session } from './session.ts';
import { t } from '../i18n/t.ts';
import { BASE_PATH } from '../../base-path.ts';

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
  const file = await fileOf(`/payment/export?${query}`);
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
  download(`month-${filter.month}.${filter.format}`, await fileOf(`/payment/month-report?${query}`));
}

async function fileOf(path: string): Promise<Blob> {
  const signedIn = session();
  try {
    const response = await fetch(BASE_PATH + path, { headers: PAGE_HEADERS });
    if (response.ok) return await response.blob();
    const { error } = (await response.json()) as Refusal;
    if (response.status === 401) loseSession(signedIn);
    const fields = (error.details ?? []).map(({ field, message }) => [FORM_FIELDS[field] ?? field, message]);
    throw new ApiError(response.status, error.code, error.message, Object.fromEntries(fields));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(
      0,
      'UNREADABLE',
      t('The server does not answer, or broke off: the file was not complete.'),
    );
  }
}

interface Refusal {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly { readonly field: string; readonly message: string }[];
  };
}

/** An invalid day is sent unchanged; the server rejects it. */
function dayAfter(day: string): string {
  const at = Date.parse(day);
  return Number.isNaN(at) ? day : new Date(at + DAY_MS).toISOString().slice(0, 10);
}
