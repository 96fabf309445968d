import { z } from 'zod';
import { isObject, isNestingWithin } from './depth.ts';
import { unstorable } from './text.ts';

const MAX_BYTES = 16_384;
const MAX_DEPTH = 32;

/** A free-form JSON object of at most 16 kB, at most 32 levels deep. */
export function metadata() {
  return z
    .record(z.string(), z.unknown())
    .superRefine((value, context) => {
      const message = findProblem(value);
      if (message === null) return;
      context.addIssue({ code: 'custom', message, params: { code: 'too_big' } });
    })
    .meta({ description: 'Free-form object, at most 16 kB of JSON' });
}

function findProblem(value: object): string | null {
  // Checks the depth first, because serialising is recursive and a body can nest tens of thousands of levels.
  if (!isNestingWithin(value, MAX_DEPTH)) return `must not nest deeper than ${MAX_DEPTH} levels`;
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) > MAX_BYTES) return 'must have at most 16 kB of JSON';
  return ESCAPED.test(json) ? textProblem(value) : null;
}

/** The JSON escapes of a null character and of a lone surrogate; well-formed pairs are not escaped. */
const ESCAPED = /\\u(?:0000|d[89a-f])/;

/** The problem of a text or a name in it: many JSON parsers reject a whole response for a lone surrogate. */
function textProblem(value: unknown): string | null {
  if (typeof value === 'string') return unstorable(value);
  if (!isObject(value)) return null;
  for (const [key, inner] of Object.entries(value)) {
    const problem = unstorable(key) ?? textProblem(inner);
    if (problem !== null) return problem;
  }
  return null;
}
