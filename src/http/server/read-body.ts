import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { invalidField } from '../../domain/errors.ts';
import { hasLongNumber, parseExact } from '../../domain/exact-json.ts';
import { clientError } from './client-error.ts';
import { isObject, isNestingWithin } from '../schemas/depth.ts';

const MAX_DEPTH = 64;
const UTF8 = new TextDecoder();

/** Reads and parses the JSON body of a request; an empty object without a body. */
export type BodyReader = (req: Request, res: Response) => Promise<unknown>;

/**
 * @param limitBytes maximum body, also after decompression
 * @throws {AppError} PAYLOAD_TOO_LARGE; VALIDATION_INVALID if it is not JSON
 */
export function createBodyReader(limitBytes: number): BodyReader {
  const withLongNumbers = new WeakMap<IncomingMessage, Buffer>();
  const parser: RequestHandler = express.json({
    limit: limitBytes,
    type: ['application/json', '+json'],
    verify: (req, _res, text, encoding) => {
      if (encoding === 'utf-8' && hasLongNumber(text.toString('latin1'))) withLongNumbers.set(req, text);
    },
  });
  return async (req, res) => {
    await new Promise<void>((resolve, reject) => {
      void parser(req, res, (error?: unknown) => {
        if (error === undefined) resolve();
        else reject(clientError(error) ?? error);
      });
    });
    const body: unknown = req.body;
    const text = withLongNumbers.get(req);
    if (text !== undefined && isObject(body)) keepExact(body, parseExact(UTF8.decode(text)));
    if (isObject(body) && !isNestingWithin(body, MAX_DEPTH)) {
      throw invalidField('body', `must not nest deeper than ${MAX_DEPTH} levels`, 'too_big');
    }
    if (body !== undefined) return body;
    if (hasBody(req))
      throw invalidField('body', 'must be sent as Content-Type: application/json', 'not_json');
    return {};
  };
}

/** Numbers stay exact in free-form fields; no field of the API itself is as long. */
function keepExact(body: object, exact: unknown): void {
  if (!isObject(exact)) return;
  for (const [name, value] of Object.entries(body)) {
    if (isObject(value)) Reflect.set(body, name, Reflect.get(exact, name));
  }
}

function hasBody(req: Request): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
