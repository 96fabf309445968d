import { z } from 'zod';
import type { SendPlan, StoredTransaction } from '../../../domain/chain.ts';
import { COINS, MODES } from '../../../domain/coins.ts';
import type { StoredSendVersion } from '../../../store/sends/send-versions.ts';

const atoms = z
  .string()
  .regex(/^\d+$/)
  .transform((text) => BigInt(text));

const count = z.int().min(0);

/** Format of a plan in `send_versions.plan_json`: amounts as decimal text, because wei do not fit a number. */
const storedPlan = z.object({
  inputs: z.array(
    z.object({
      ref: z.object({ txid: z.string(), index: count }),
      amount: atoms,
      address: z.string(),
      keyPath: z.object({
        coin: z.enum(COINS),
        mode: z.enum(MODES),
        account: count,
        branch: z.literal([0, 1]),
        index: count,
      }),
    }),
  ),
  destination: z.string(),
  amount: atoms,
  outputs: z.array(z.object({ destination: z.string(), amount: atoms })).exactOptional(),
  fee: atoms,
  change: z.object({ address: z.string(), amount: atoms }).nullable(),
  feeRate: atoms,
  lifetime: z
    .object({ blockhash: z.string(), lastValidHeight: count, slot: count.exactOptional() })
    .exactOptional(),
  account: z.object({ chainId: count, nonce: count, gasLimit: atoms }).optional(),
  computeUnits: count.exactOptional(),
});

/** Plan → text for the database. Exact: reading it back gives an equal plan. */
export function writePlan(plan: SendPlan): string {
  return JSON.stringify(plan, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

/** Parses a stored plan. @throws {z.ZodError} when the text is not one. */
export function readPlan(text: string): SendPlan {
  return storedPlan.parse(JSON.parse(text));
}

/** A signed version as the chain adapter takes it, to broadcast it or to query its status. */
export function toStoredTransaction({ txid, raw, planJson }: StoredSendVersion): StoredTransaction {
  // Empty: only its outputs were seen, in a skipped block.
  return { txid, raw: raw === '' ? null : raw, lifetime: readPlan(planJson).lifetime };
}
