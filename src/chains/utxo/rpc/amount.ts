import { z } from 'zod';
import { parseAtoms } from './exact-json.ts';

/** Maximum supply of Litecoin, in litoshi; Bitcoin's is a quarter. */
const MOST_ATOMS = 84_000_000n * 100_000_000n;

/** A coin amount of the node's JSON, in atoms; for a fee rate, atoms per 1,000 vB. */
export const AMOUNT = z.union([z.number(), z.string()]).transform((value, context) => {
  const atoms = parseAtoms(value);
  if (atoms !== null && atoms >= 0n && atoms <= MOST_ATOMS) return atoms;
  const message = atoms === null ? 'is not an exact amount' : 'is no amount of coins';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});
