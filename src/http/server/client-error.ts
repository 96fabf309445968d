import { AppError, invalidField } from '../../domain/errors.ts';

/** Maps client errors of Express and its parsers to API errors; null for errors of the server. */
export function clientError(error: unknown): AppError | null {
  const type: unknown = error instanceof Error && 'type' in error ? error.type : undefined;
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  if (type === 'entity.too.large') {
    return new AppError('PAYLOAD_TOO_LARGE', 'The request body is too large', { cause: error });
  }
  if (type === 'entity.parse.failed') return invalidField('body', 'must be valid JSON', 'malformed');
  if (typeof status !== 'number' || status < 400 || status >= 500) return null;
  // A part of the path that cannot be decoded, such as `%E0%A4`.
  if (error instanceof URIError) return new AppError('NOT_FOUND', 'There is nothing at this address');
  // Other errors: unknown encodings, a truncated body.
  return invalidField('body', 'could not be read', 'unreadable');
}
