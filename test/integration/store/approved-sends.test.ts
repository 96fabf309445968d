/** An approval applies to the very send that its approver saw: the rule where sends are stored. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_STORED_LIMITS } from '../../../src/domain/send/limit-change.ts';
import { ApprovalRequired, NO_LIMITS } from '../../../src/domain/send/spending-limits.ts';
import { insertApproval, type StoredApproval } from '../../../src/store/sends/send-approvals.ts';
import { insertSend, type StoredSend } from '../../../src/store/sends/sends.ts';
import { putLimits } from '../../../src/store/sends/wallet-limits.ts';
import { addMerchant } from '../../_helpers/wallet-world.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const ID = 'snd_approved';
const rates = {
  quote: (coin: StoredSend['coin'], currency: string) => ({
    coin,
    currency,
    rate: '100',
    sources: ['test'],
    at: 0,
  }),
};

let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld();
  const { merchant, clock, db } = sim.world;
  const limits = { ...NO_STORED_LIMITS, limits: { ...NO_LIMITS, perSend: { minor: 1n, currency: 'USD' } } };
  await db.transaction(async (tx) => putLimits(tx, { merchantId: merchant.id, limits, now: clock.now() }));
});
afterEach(async () => sim.close());

/** What an approver sees of a send. */
const seen = () => ({
  merchantId: sim.world.merchant.id,
  coin: 'BTC' as const,
  mode: 'sandbox' as const,
  destination: 'payee',
  subtractFee: false,
  ordered: '100000000',
  amount: '100000000',
  outputsJson: null,
  fee: '1000',
  maxFee: '2000',
});

async function approve(changed: Partial<StoredApproval>): Promise<void> {
  const now = sim.world.clock.now();
  const row: StoredApproval = {
    id: ID,
    ...seen(),
    kind: 'send',
    note: null,
    watchId: null,
    requestJson: '{}',
    reasons: ['per_send'],
    paymentId: null,
    linkId: null,
    claimId: null,
    askerId: null,
    creatorKind: null,
    creatorId: null,
    status: 'approved',
    idempotencyKey: null,
    createdAt: now,
    updatedAt: now,
    expiresAt: now + 1,
    decidedBy: null,
    ...changed,
  };
  await sim.world.db.transaction(async (tx) => insertApproval(tx, row));
}

/** Whether the send is stored; false: it needs an approval. */
async function isStored(changed: Partial<StoredSend> = {}): Promise<boolean> {
  const now = sim.world.clock.now();
  const row = {
    id: ID,
    ...seen(),
    purpose: 'send' as const,
    lane: null,
    nonce: null,
    status: 'signed' as const,
    txid: ID,
    version: 1,
    height: null,
    error: null,
    idempotencyKey: null,
    createdAt: now,
    updatedAt: now,
    nextBroadcastAt: null,
    broadcasts: 0,
    announcedTxid: null,
    confirmedTxid: null,
    ...changed,
  };
  const leaving = {
    creator: null,
    watchKeys: ['payee'],
    freeFee: 0n,
    feeShareBps: 1_000,
    rates,
    provenDepth: 6,
    now,
  };
  try {
    await sim.world.db.transaction(async (tx) => insertSend(tx, row, leaving));
    return true;
  } catch (error) {
    if (error instanceof ApprovalRequired) return false;
    throw error;
  }
}

describe('insertSend above a limit', () => {
  it('stores the send that was approved, with its fee budget or a lower one', async () => {
    expect(await isStored()).toBe(false);
    await approve({});
    expect(await isStored({ maxFee: '1000' })).toBe(true);
  });

  it.each<[string, Partial<StoredApproval>]>([
    ['a lower amount', { ordered: '99999999' }],
    ['a higher amount', { ordered: '100000001' }],
    ['another destination', { destination: 'thief' }],
    ['several recipients', { outputsJson: '[["payee","50000000"],["thief","50000000"]]' }],
    ['another coin', { coin: 'LTC' }],
    ['money from a watched account', { watchId: 'wat_other' }],
    ['the other mode', { mode: 'live' }],
    ['the fee taken out of the amount', { subtractFee: true }],
    ['a lower fee budget', { maxFee: '1999' }],
    ['another id', { id: 'snd_other' }],
    ['no decision yet', { status: 'pending' }],
    ['a rejection', { status: 'rejected' }],
    ['an expiry', { status: 'expired' }],
  ])('refuses it with an approval of %s', async (_difference, changed) => {
    await approve(changed);
    expect(await isStored()).toBe(false);
  });

  it('refuses it with an approval of another shop', async () => {
    const other = await addMerchant(sim.world.deps, 'sandbox');
    await approve({ merchantId: other.id });
    expect(await isStored()).toBe(false);
  });
});
