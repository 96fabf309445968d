import { z } from 'zod';

/** Commitment level: voted for by more than two thirds of the stake, or final. */
export type Commitment = 'confirmed' | 'finalized';

export const slot = z.int().min(0);
export const lamports = z
  .union([z.int(), z.bigint()])
  .transform((value) => BigInt(value))
  .pipe(z.bigint().min(0n));
export const block = z.object({
  blockhash: z.string(),
  previousBlockhash: z.string(),
  parentSlot: slot,
  blockHeight: slot.nullish(),
  blockTime: z.int().nullish(),
  signatures: z.array(z.string()).optional(),
});
const meta = z.object({
  err: z.unknown().optional(),
  fee: lamports,
  preBalances: z.array(lamports),
  postBalances: z.array(lamports),
  loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
});
export const rawTransaction = z.object({
  slot,
  meta,
  transaction: z.tuple([z.string(), z.literal('base64')]),
});
export const jsonTransaction = z.object({
  slot,
  meta,
  transaction: z.object({ message: z.object({ accountKeys: z.array(z.string()) }) }),
});

export type RawTransaction = z.output<typeof rawTransaction>;

/** A value with the slot at which the node read it. */
export function inContext<T extends z.ZodType>(value: T) {
  return z.object({ context: z.object({ slot }), value });
}
