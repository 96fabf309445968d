import { AppError, invalidField } from '../../domain/errors.ts';
import { findSyntaxError } from '../../domain/json-position.ts';

/** Maps client errors of Express and its parsers to API errors; null for errors of the server. */
export function clientError(error: unknown): AppError | null {
  const type: unknown = error instanceof Error && 'type' in error ? error.type : undefined;
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  if (type === 'entity.too.large') {
    return new AppError('PAYLOAD_TOO_LARGE', 'The request body is too large', { cause: error });
  }
  if (type === 'entity.parse.failed') return syntaxError(error);
  if (typeof status !== 'number' || status < 400 || status >= 500) return null;
  // A part of the path that cannot be decoded, such as `%E0%A4`.
  if (error instanceof URIError) return new AppError('NOT_FOUND', 'There is nothing at this address');
  // Other errors: unknown encodings, a truncated body.
  return invalidField('body', 'could not be read', 'unreadable');
}

/** States the position only: the text itself may contain secrets. */
function syntaxError(error: unknown): AppError {
  const text: unknown = error instanceof Error && 'body' in error ? error.body : undefined;
  const at = typeof text === 'string' ? findSyntaxError(text) : null;
  // JSON that is neither an object nor an array is rejected, too.
  if (at === null) return invalidField('body', 'must be a JSON object', 'malformed');
  const message = `must be valid JSON: error in line ${at.line}, column ${at.column}`;
  return invalidField('body', message, 'malformed');
}
