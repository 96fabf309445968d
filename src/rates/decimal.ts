import { Big } from 'big.js';
import { z } from 'zod';

const MAX_LENGTH = 40;

/** A positive decimal text, "1e-7" included, as the shortest plain decimal. */
export const positiveDecimal = z
  .string()
  .max(MAX_LENGTH)
  .regex(/^\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/)
  .transform((text) => new Big(text))
  .refine((value) => value.gt(0))
  .transform((value) => value.toFixed());

/** Parses JSON and keeps every number as text, because a price must not be parsed as a float. */
export function parseExactJson(body: string): unknown {
  return JSON.parse(body, keepNumberText);
}

function keepNumberText(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}
