import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { AppError } from '../../domain/errors.ts';
import { clientKey } from './client-key.ts';
import { WINDOW_MS, WindowCounts } from './window-counts.ts';

type Refuse = (req: Request, res: Response, next: NextFunction) => void;

const refuseByError: Refuse = (_req, _res, next) =>
  next(new AppError('RATE_LIMITED', 'Too many requests: try again in a minute'));

/** How often one client address may look at pages for payers in a minute. @param refuse answers what is too much */
export function createPageLimit(perMinute: number, refuse: Refuse = refuseByError): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    store: new WindowCounts(),
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: clientKey,
    // Its own checks print to the console when a proxy header is seen; the proxy setting is ours to make.
    validate: false,
    handler: refuse,
  });
}
