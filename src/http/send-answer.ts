import type { Response } from 'express';
import type { Answer } from './envelope.ts';

/** Writes an answer; nothing of the API may be kept by caches. */
export function sendAnswer(res: Response, answer: Answer): void {
  if (res.headersSent) return;
  res.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  res.status(answer.status).json(answer.body);
}
