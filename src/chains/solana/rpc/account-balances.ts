import { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import { inContext, lamports, type Commitment } from './node-answers.ts';
import type { Rpc } from './rpc.ts';
import { requireSlot } from '../sends/signature-status.ts';

/** Built once: building a schema takes longer than parsing a hundred accounts with it. */
const ACCOUNT = z.object({ lamports }).nullable();
const ACCOUNTS = inContext(
  z.array(ACCOUNT.or(z.unknown().transform((malformed) => ({ lamports: null, malformed })))),
);
const MULTIPLE_ACCOUNTS = 'getMultipleAccounts';

/** Result of a request for the balances of several accounts. */
interface ReadableBalances {
  readonly slot: number;
  readonly lamports: Map<string, bigint>;
  /** Account → why its balance could not be read. */
  readonly unread: ReadonlyMap<string, string>;
}

export async function readableBalances(
  rpc: Rpc,
  addresses: readonly string[],
  asOf: { readonly commitment: Commitment; readonly minContextSlot?: number },
): Promise<ReadableBalances> {
  const options = { ...asOf, encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
  const { context, value } = await rpc.call(MULTIPLE_ACCOUNTS, [addresses, options], ACCOUNTS);
  requireSlot(MULTIPLE_ACCOUNTS, context, asOf.minContextSlot ?? 0);
  if (value.length !== addresses.length) {
    const difference = `expected ${addresses.length} accounts, not ${value.length}`;
    throw new ChainError('bad_answer', `${MULTIPLE_ACCOUNTS}: unexpected value: ${difference}`);
  }
  const balancesByAccount = new Map<string, bigint>();
  const unread = new Map<string, string>();
  for (const [at, address] of addresses.entries()) {
    const account = value[at] ?? null;
    if (account === null) balancesByAccount.set(address, 0n);
    else if (account.lamports !== null) balancesByAccount.set(address, account.lamports);
    else unread.set(address, describeMalformed(account.malformed, at));
  }
  return { slot: context.slot, lamports: balancesByAccount, unread };
}

function describeMalformed(malformed: unknown, at: number): string {
  const [issue] = ACCOUNT.safeParse(malformed).error?.issues ?? [];
  return `unexpected ${['value', at, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? ''}`;
}

/** @throws {ChainError} bad_answer when the balance of any of them cannot be read */
export async function balances(...request: Parameters<typeof readableBalances>): Promise<ReadableBalances> {
  const read = await readableBalances(...request);
  for (const reason of read.unread.values())
    throw new ChainError('bad_answer', `${MULTIPLE_ACCOUNTS}: ${reason}`);
  return read;
}
