import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planSend } from '../../../src/chains/ethereum/sends/plan-send.ts';
import type { ChainAdapter, FeeQuote } from '../../../src/domain/chain.ts';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { fillNonceGaps } from '../../../src/usecases/wallet/lifecycle/fill-nonce-gaps.ts';
import { InFlightSends } from '../../../src/usecases/wallet/lifecycle/in-flight-sends.ts';
import { createSweepBackoff } from '../../../src/usecases/wallet/sweep/sweep-backoff.ts';
import type { SweepDepositsDeps } from '../../../src/usecases/wallet/sweep/sweep-deposits.ts';
import { MERCHANT_COLUMNS, OUTPUT_COLUMNS } from '../../_helpers/columns.ts';
import { ScriptedChain } from '../../_helpers/scripted-chain.ts';
import { silent, TestClock } from '../../_helpers/wallet-world.ts';

const OWN = '0x00000000000000000000000000000000000000aa';
const GWEI = 10n ** 9n;
const GAS = 21_000n;
/** Of an ordinary transfer at the rate of the quote, wei. */
const FEE = GAS * 30n * GWEI;
let store: OpenDatabase;
let db: Db;

beforeEach(async () => {
  store = await openDatabase(':memory:');
  ({ db } = store);
  await sql`pragma foreign_keys = off`.execute(db);
  await sql`insert into merchants ${MERCHANT_COLUMNS} values ('m', 'u', 1, 'Shop', null, 'm', 't', null, null, 's', null, null,
    0, 60, 50, 'accept', 1, 1)`.execute(db);
  await sql`insert into chain_cursors values ('ETH', 'live', 9, 'h', null, null, 1)`.execute(db);
  await sql`insert into addresses values (1, 'm', 'ETH', 'live', 0, 0, ${OWN}, ${OWN}, 'wallet', null, 1)`.execute(
    db,
  );
  await sql`insert into outputs ${OUTPUT_COLUMNS} values (1, 'ETH', 'live', 't1', 0, 1, 'm', null, '1000000000000000000',
    'confirmed', 5, 'b', 1, 1, 0, null, null, null, null, 1, 1, 1)`.execute(db);
});
afterEach(async () => store.close());

async function addSend(
  nonce: number,
  status: 'failed' | 'broadcast',
  terms: { amount: bigint; maxFee: bigint },
) {
  const id = `snd_${nonce}`;
  const { amount, maxFee } = terms;
  await db
    .insertInto('sends')
    .values({
      id,
      merchantId: 'm',
      coin: 'ETH',
      mode: 'live',
      purpose: 'send',
      lane: OWN,
      nonce,
      destination: 'd',
      txid: id,
      subtractFee: false,
      ordered: amount.toString(),
      amount: amount.toString(),
      fee: FEE.toString(),
      maxFee: maxFee.toString(),
      drawsOn: null,
      drawsOnVersion: null,
      feeLimitedAt: null,
      note: null,
      version: 1,
      broadcasts: 1,
      height: null,
      error: null,
      idempotencyKey: null,
      nextBroadcastAt: null,
      announcedTxid: null,
      confirmedTxid: null,
      displacedHeight: null,
      queueAccount: null,
      queuePosition: null,
      partOf: null,
      orderedRate: null,
      unfundedSince: null,
      createdAt: nonce,
      updatedAt: nonce,
      status,
    })
    .execute();
}

/** What closed the gap at nonce 0. */
async function fillNonceGap(): Promise<{ maxFee: string } | undefined> {
  const quote: FeeQuote = {
    rate: 30n * GWEI * 1_000n,
    minimum: 24n * GWEI * 1_000n,
    source: 'test',
    at: 0,
    account: { chainId: 1, nonce: 0, gasLimit: GAS },
  };
  const node = new ScriptedChain(1).adapter('ETH');
  const adapter = { ...node, feeQuote: async () => quote, planSend } as ChainAdapter;
  const deps = {
    db,
    clock: new TestClock(),
    logger: silent,
    chains: { get: () => adapter },
    policy: DEFAULT_SEND_POLICY,
    inFlight: new InFlightSends(),
    sign: () => ({ txid: 'gap', raw: '00' }),
    deriver: { address: () => OWN },
    confirmations: () => ({ base: 1, tiers: [] }),
  } as unknown as SweepDepositsDeps;
  await fillNonceGaps(deps, { coin: 'ETH', mode: 'live' }, createSweepBackoff(deps.clock));
  return db
    .selectFrom('sends')
    .select('maxFee')
    .where('nonce', '=', 0)
    .where('status', '<>', 'failed')
    .executeTakeFirst();
}

describe('a transaction that closes a nonce gap', () => {
  it.each([
    { name: '0.1 ETH', amount: 10n ** 17n },
    { name: '0.004 ETH, a tenth of which is less than the fee', amount: 4n * 10n ** 15n },
  ])('is paid from the fee budget of a send of $name that waits for the gap', async ({ amount }) => {
    await addSend(0, 'failed', { amount: 1n, maxFee: FEE });
    await addSend(1, 'broadcast', { amount, maxFee: FEE });
    const budget = BigInt((await fillNonceGap())?.maxFee ?? 0);
    expect(budget).toBeGreaterThanOrEqual(FEE);
  });

  it('costs no more than the fee budgets of all sends that wait for the gap', async () => {
    await addSend(0, 'failed', { amount: 1n, maxFee: 90n * FEE });
    await addSend(1, 'broadcast', { amount: 1n, maxFee: FEE / 2n });
    expect(await fillNonceGap()).toBeUndefined();
    await addSend(2, 'broadcast', { amount: 1n, maxFee: 2n * FEE });
    expect(await fillNonceGap()).toEqual({ maxFee: ((5n * FEE) / 2n).toString() });
  });
});
