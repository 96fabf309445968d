/** Sends from watched accounts: change addresses, expired orders that are repeated, and skipped blocks. */
import { afterEach, describe, expect, it } from 'vitest';
import { insertAddresses } from '../../../src/store/ledger/addresses.ts';
import { findWatchAccount } from '../../../src/store/ledger/watch-accounts.ts';
import { watchPath } from '../../../src/usecases/addresses/index.ts';
import { reconcileSkippedBlocks } from '../../../src/usecases/chain-sync/reconcile-skipped-blocks.ts';
import { expireUnsigned } from '../../../src/usecases/wallet/lifecycle/unsigned-sends.ts';
import { listWatched } from '../../../src/usecases/watch/view-watch.ts';
import { atoms, PsbtWorld, sign, toDebits } from './psbt-world.ts';

let world: PsbtWorld;
afterEach(async () => world.close());

const chain = { coin: 'BTC', mode: 'live' } as const;

async function expire(): Promise<void> {
  world.wallet.clock.advance(world.wallet.deps.policy.approvalTtlMs + 1);
  await expireUnsigned(world.wallet.deps, chain);
}

async function changeGap(): Promise<number | undefined> {
  const { deps, merchant } = world.wallet;
  return (await listWatched(deps, merchant))[0]?.changeGap;
}

describe('the change of a send from a watched account', () => {
  it('goes to the next address that nothing on the server uses', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { db, deps, merchant } = world.wallet;
    const account = await findWatchAccount(db, world.watchId);
    if (account === undefined) throw new Error('the account is missing');
    const address = deps.deriver.address(watchPath(account, 1, 0));
    const watchKey = world.wallet.adapter('BTC').watchKey(address);
    const row = { ...chain, merchantId: merchant.id, branch: 1, idx: 500, address, watchKey } as const;
    await db.transaction(async (tx) =>
      insertAddresses(tx, [{ ...row, purpose: 'recovered', paymentId: null, createdAt: 0 }]),
    );
    const { id, psbt } = await world.send('0.004');
    const spent = world.signElsewhere(psbt);
    expect(spent.pays.map((pay) => pay.watchKey)).not.toContain(watchKey);
    expect((await world.submit(id, sign(psbt))).status).toBe('broadcast');
  });

  it('counts its addresses without money since the last one that was used', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    expect(await changeGap()).toBe(0);
    await world.send('0.004');
    await expire();
    await world.send('0.004');
    expect(await changeGap()).toBe(2);
    await expire();
    const { id, psbt } = await world.send('0.004');
    await world.submit(id, sign(psbt));
    expect(await changeGap()).toBe(0);
  });
});

describe('an order that repeats one that was not signed in time', () => {
  it('is refused with the reason, and not as rejected by the network', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const idempotencyKey = 'payout';
    await world.send('0.004', { idempotencyKey });
    await expire();
    await expect(world.send('0.004', { idempotencyKey })).rejects.toMatchObject({
      code: 'SEND_REJECTED',
      message: 'this send failed: not signed in time; order it with another Idempotency-Key',
    });
  });
});

describe('a skipped block with the transaction of an unsigned send', () => {
  it('confirms the send by its change', async () => {
    world = await PsbtWorld.open(atoms('0.01'));
    const { id, psbt } = await world.send('0.004');
    const { txid, pays } = world.signElsewhere(psbt);
    const after = world.chain.tip.height;
    await world.mine();
    await world.mine();
    const { tip, blocks } = world.chain;
    const skipped = blocks[after + 1] ?? tip;
    const { db, deps } = world.wallet;
    await db
      .insertInto('chain_gaps')
      .values({ ...chain, afterHeight: after, beforeHeight: after + 2, foundAt: 0, reason: 'skipped' })
      .execute();
    const index = pays.findIndex(
      ({ watchKey }) => watchKey !== world.wallet.adapter('BTC').watchKey(world.payee),
    );
    const [{ amount, watchKey } = { amount: 0n, watchKey: '' }] = pays.slice(index);
    const { hash, timeMs } = skipped;
    const output = {
      ref: { txid, index },
      amount,
      watchKey,
      height: after + 1,
      block: { hash, timeMs, maturity: 1 },
    };
    const funds = {
      model: 'outputs',
      mostInputs: 50,
      inputCost: () => 0n,
      scanUnspent: async () => ({ isComplete: true, tip, outputs: [output] }),
    } as const;
    expect(await reconcileSkippedBlocks(deps, { ...chain, funds })).toBe(true);
    expect(await world.status(id)).toMatchObject({ status: 'confirmed', txHash: txid });
  });
});

it('a transaction of the mempool that leaves it does not extend the time to sign', async () => {
  world = await PsbtWorld.open(atoms('0.01'));
  const { id, psbt, expiresAt } = await world.send('0.004');
  world.chain.debits = toDebits(world.signElsewhere(psbt));
  await world.wallet.sync('BTC');
  await expire();
  expect((await world.status(id)).expiresAt).toBe(expiresAt);
  world.chain.debits = [];
  await world.wallet.sync('BTC');
  await expect(world.submit(id, sign(psbt))).rejects.toMatchObject({ code: 'INVALID_STATE' });
});
