import { z } from 'zod';
import type { SendOutput } from '../../domain/send/outputs.ts';

const atoms = z.string().regex(/^\d+$/).transform(BigInt);
const stored = z.array(z.object({ destination: z.string(), amount: atoms })).min(2);

/** The recipients of a send as they were ordered; null where there is one. */
export function readOutputs({ outputsJson }: { readonly outputsJson: string | null }): SendOutput[] | null {
  return outputsJson === null ? null : stored.parse(JSON.parse(outputsJson));
}

/** Text for the database. */
export function writeOutputs(outputs: readonly SendOutput[] | null): string | null {
  if (outputs === null) return null;
  return JSON.stringify(outputs.map(({ destination, amount }) => ({ destination, amount: `${amount}` })));
}
