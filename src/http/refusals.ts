import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Response } from 'express';
import { AppError, invalidField } from '../domain/errors.ts';
import type { Logger } from '../domain/ports.ts';
import type { Connections, Exchange } from './connections.ts';
import { failure } from './envelope.ts';
import { apiHeaders, sendAnswer } from './send-answer.ts';

/** A refused client has this long to read why. */
const LINGER_MS = 1_000;

/** By the code that Node gives the trouble. */
const KNOWN: Readonly<Record<string, () => AppError>> = {
  HPE_HEADER_OVERFLOW: () =>
    new AppError('HEADERS_TOO_LARGE', 'The address and headers of the request are too large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => new AppError('PAYLOAD_TOO_LARGE', 'The request body is too large'),
  ERR_HTTP_REQUEST_TIMEOUT: () => new AppError('REQUEST_TIMEOUT', 'The request did not arrive in time'),
};

const unmet = new WeakSet<IncomingMessage>();

/** What no route is to look at; null for any other request. Node would answer these by itself, in its own form. */
export function refusalOf(req: IncomingMessage): AppError | null {
  if (unmet.has(req)) {
    return new AppError('EXPECTATION_FAILED', 'Expect: only 100-continue can be met here');
  }
  const hasHost = req.headers.host !== undefined || req.httpVersion !== '1.1';
  return hasHost ? null : invalidField('Host', 'is required', 'missing');
}

/**
 * Answers in the API's own form what the server refuses before anybody sees it as a request: what is no HTTP,
 * comes too slowly, is too large or expects too much. Needs a server with `requireHostHeader` off.
 */
export function answerRefusals(server: Server, connections: Connections, logger: Logger): void {
  const refused = new WeakSet<Duplex>();
  server.on('checkExpectation', (req, res) => {
    unmet.add(req);
    server.emit('request', req, res);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = socket instanceof Socket ? connections.lastOn(socket) : undefined;
    // Not yet a connection that speaks HTTP (a failed handshake), or none any more.
    if (last === undefined || !socket.writable) {
      socket.destroy();
      return;
    }
    // What follows upon the first trouble is news to nobody.
    if (refused.has(socket)) return;
    refused.add(socket);
    const fault = { error: faultOf(error), cause: error.code ?? 'unknown', logger };
    if (last !== null && !last.req.complete) refuseBody(last, fault);
    else if (last === null || last.res.closed) refuse(socket, fault);
    // Answers go out in the order of their requests.
    else last.res.once('close', () => refuse(socket, fault));
  });
}

interface Fault {
  readonly error: AppError;
  /** For the log: the name of what went wrong, nothing that was sent. */
  readonly cause: string;
  readonly logger: Logger;
}

/** The request is known, and what comes as its body is the trouble. */
function refuseBody({ req, res }: Exchange, { error }: Fault): void {
  // An answer that was begun cannot be taken back, and a second one would be taken for another request's.
  if (res.headersSent) {
    req.socket.destroySoon();
    return;
  }
  res.setHeader('Connection', 'close');
  sendAnswer(res as Response, failure(error));
}

function refuse(socket: Duplex, { error, cause, logger }: Fault): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const { status, headers, body } = failure(error);
  logger.info({ requestId, status, cause }, 'refused what came on a connection');
  const text = JSON.stringify(body);
  const pairs = ['Connection', 'close', 'Date', new Date().toUTCString()];
  pairs.push(...apiHeaders({ headers, requestId, text, withGuards: true }));
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (let at = 0; at < pairs.length; at += 2) lines.push(`${pairs[at] ?? ''}: ${pairs[at + 1] ?? ''}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`);
  // Closed at once with bytes unread, the connection would be reset and the answer lost on its way.
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(cut));
}

function faultOf({ code = '' }: NodeJS.ErrnoException): AppError {
  return KNOWN[code]?.() ?? invalidField('request', 'must be valid HTTP/1.1', 'malformed');
}
