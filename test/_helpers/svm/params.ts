import { PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import { COMMITMENTS } from './ledger.ts';
import { invalidParams } from './rpc-error.ts';

const count = z.int().min(0);

const config = z
  .looseObject({
    commitment: z.enum(COMMITMENTS),
    encoding: z.string(),
    minContextSlot: count,
    maxSupportedTransactionVersion: count,
    transactionDetails: z.enum(['full', 'signatures', 'none']),
    rewards: z.boolean(),
    dataSlice: z.object({ offset: count, length: count }),
    before: z.string().nullable(),
    until: z.string().nullable(),
    limit: z.int().min(1).max(1000),
    searchTransactionHistory: z.boolean(),
    skipPreflight: z.boolean(),
    preflightCommitment: z.enum(COMMITMENTS),
    sigVerify: z.boolean(),
    replaceRecentBlockhash: z.boolean(),
  })
  .partial();

export type RpcConfig = z.output<typeof config>;

/** The options object at a position of the parameters; an empty one when it is left out. */
export function configAt(params: readonly unknown[], index: number): RpcConfig {
  return parse(config, params[index] ?? {});
}

export function slotAt(params: readonly unknown[], index: number): number {
  return parse(count, params[index]);
}

export function optionalSlotAt(params: readonly unknown[], index: number): number | null {
  const value = params[index];
  return value === null || value === undefined || typeof value === 'object' ? null : parse(count, value);
}

export function textAt(params: readonly unknown[], index: number): string {
  return parse(z.string(), params[index]);
}

export function textsAt(params: readonly unknown[], index: number): string[] {
  return parse(z.array(z.string()), params[index]);
}

export function addressAt(params: readonly unknown[], index: number): string {
  return asAddress(textAt(params, index));
}

export function asAddress(text: string): string {
  try {
    return new PublicKey(text).toBase58();
  } catch {
    throw invalidParams('Invalid param: WrongSize');
  }
}

/** Wire bytes in base64, or base58 as the RPC's old default has it. */
export function isBase58Encoding(options: RpcConfig): boolean {
  return options.encoding === undefined || options.encoding === 'base58';
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidParams(parsed.error.issues[0]?.message ?? 'wrong parameters');
}
