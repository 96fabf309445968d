import express, { type Request, type RequestHandler, type Response } from 'express';
import { invalidField } from '../domain/errors.ts';
import { clientFault } from './client-fault.ts';
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
        else reject(clientFault(error) ?? error);
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
