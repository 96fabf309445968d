import { ApiError } from './client.ts';
import { PAGE_HEADERS } from '../../page-headers.ts';
import { loseSession, session } from './session.ts';
import { t } from '../i18n/t.ts';
import { BASE_PATH } from '../../base-path.ts';

/**
 * Reads a file that the daemon writes while it sends it.
 * @param fieldNames the form's names for rejected fields of the API
 * @throws {ApiError}
 */
export async function fetchFile(
  path: string,
  fieldNames: Readonly<Record<string, string>> = {},
): Promise<Blob> {
  const signedIn = session();
  try {
    const response = await fetch(BASE_PATH + path, { headers: PAGE_HEADERS });
    if (response.ok) return await response.blob();
    const { error } = (await response.json()) as Refusal;
    if (response.status === 401) loseSession(signedIn);
    const fields = (error.details ?? []).map(({ field, message }) => [fieldNames[field] ?? field, message]);
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
