import express, { type Request, type RequestHandler, type Response } from 'express';
import { AppError, invalidField } from '../domain/errors.ts';
import { isObject, shallowerThan } from './schemas/depth.ts';

const MAX_DEPTH = 64;

/** Reads and parses the JSON body of a request; an empty object when none was sent. */
export type BodyReader = (req: Request, res: Response) => Promise<unknown>;

/**
 * @param limitBytes longest body, also after decompression
 * @throws {AppError} PAYLOAD_TOO_LARGE; VALIDATION_INVALID when it is not JSON
 */
export function createBodyReader(limitBytes: number): BodyReader {
  const parser: RequestHandler = express.json({ limit: limitBytes, type: ['application/json', '+json'] });
  return async (req, res) => {
    await new Promise<void>((resolve, reject) => {
      void parser(req, res, (error?: unknown) => {
        if (error === undefined) resolve();
        else reject(bodyError(error));
      });
    });
    const body: unknown = req.body;
    if (isObject(body) && !shallowerThan(body, MAX_DEPTH)) {
      throw invalidField('body', `must not nest deeper than ${MAX_DEPTH} levels`, 'too_big');
    }
    if (body !== undefined) return body;
    if (hasBody(req))
      throw invalidField('body', 'must be sent as Content-Type: application/json', 'not_json');
    return {};
  };
}

function hasBody(req: Request): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function bodyError(error: unknown): unknown {
  const type: unknown = error instanceof Error && 'type' in error ? error.type : undefined;
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  if (type === 'entity.too.large') {
    return new AppError('PAYLOAD_TOO_LARGE', 'The request body is too large', { cause: error });
  }
  if (type === 'entity.parse.failed') return invalidField('body', 'must be valid JSON', 'malformed');
  // The rest the parser blames on the client: encodings it does not know, a body cut short.
  if (typeof status === 'number' && status < 500) {
    return invalidField('body', 'could not be read', 'unreadable');
  }
  return error;
}
