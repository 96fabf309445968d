import { z } from 'zod';
import { isObject, shallowerThan } from './depth.ts';

const MAX_BYTES = 16_384;
const MAX_DEPTH = 32;

/** A free-form JSON object of at most 16 kB, at most 32 levels deep. */
export function metadata() {
  return z
    .record(z.string(), z.unknown())
    .superRefine((value, context) => {
      const message = problemOf(value);
      if (message === null) return;
      context.addIssue({ code: 'custom', message, params: { code: 'too_big' } });
    })
    .meta({ description: 'Free-form object, at most 16 kB of JSON' });
}

function problemOf(value: object): string | null {
  // Depth first: serialising is recursive, and a body can nest tens of thousands of levels.
  if (!shallowerThan(value, MAX_DEPTH)) return `must not nest deeper than ${MAX_DEPTH} levels`;
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) > MAX_BYTES) return 'must have at most 16 kB of JSON';
  return json.includes('\\u0000') && hasNull(value) ? 'must not contain null characters' : null;
}

function hasNull(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, inner]) => key.includes('\0') || hasNull(inner));
}
