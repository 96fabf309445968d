import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { AppError } from '../../domain/errors.ts';
import { clientKey } from './client-key.ts';
import { WINDOW_MS, WindowCounts } from './window-counts.ts';

type Refuse = (req: Request, res: Response, next: NextFunction) => void;

const refuseByError: Refuse = (_req, _res, next) =>
  next(new AppError('RATE_LIMITED', 'Too many requests: try again in a minute'));

/** Rate limit of pages for payers, per client address and minute. @param refuse sends the rejection */
export function createPageRateLimit(perMinute: number, refuse: Refuse = refuseByError): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    store: new WindowCounts(),
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: clientKey,
    // Its own checks print to the console when they detect a proxy header; the daemon's setting decides about
    // proxies.
    validate: false,
    handler: refuse,
  });
}
