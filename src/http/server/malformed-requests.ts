import { type Server, STATUS_CODES } from 'node:http';
import { AppError, invalidField } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';
import { failure } from './envelope.ts';
import { newRequestId, REQUEST_ID_HEADER } from './request-id.ts';

/** Time for a rejected client to read the response. */
const LINGER_MS = 1_000;

/** Answers malformed, oversized or slow requests in the form of the API, and closes the connection. */
export function answerMalformed(server: Server, logger: Logger): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return;
    const { status, body } = failure(toAppError(error.code));
    const requestId = newRequestId();
    // Never the request itself, which may contain credentials.
    logger.info(
      { requestId, status, cause: error.code ?? 'unknown' },
      'HTTP request rejected before routing: malformed, oversized or too slow',
    );
    const text = JSON.stringify(body);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Connection: close',
      'Cache-Control: no-store',
      'Content-Type: application/json; charset=utf-8',
      'X-Content-Type-Options: nosniff',
      `${REQUEST_ID_HEADER}: ${requestId}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
    // If it closed at once with unread bytes, the connection would be reset and the response lost.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}

function toAppError(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError('HEADERS_TOO_LARGE', 'The address and headers of the request are too large');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new AppError('PAYLOAD_TOO_LARGE', 'The request body is too large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('REQUEST_TIMEOUT', 'The request did not arrive in time');
  return invalidField('request', 'must be valid HTTP/1.1', 'malformed');
}
