/** Sends that pay several recipients in one transaction. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COINS } from '../../../src/domain/coins.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { changeLimits, NO_STORED_LIMITS } from '../../../src/domain/send/limit-change.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { putLimits } from '../../../src/store/sends/wallet-limits.ts';
import { listWalletTransactions } from '../../../src/usecases/wallet/list-wallet-transactions.ts';
import { prepareSends } from '../../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { estimateFee } from '../../../src/usecases/wallet/send/estimate-fee.ts';
import {
  sendApproved,
  sendCoins,
  type SendCoinsInput,
} from '../../../src/usecases/wallet/send/send-coins.ts';
import { decideApproval, findApproval } from '../../../src/store/sends/send-approvals.ts';
import { expectBooksToAgree } from '../../_helpers/books.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';
import { signed } from '../../_helpers/signed.ts';

let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld({}, { mostInputs: 20 });
});
afterEach(async () => sim.close());

const atoms = (amount: string) => parseCoinAmount(amount, 'BTC');
const shopId = () => sim.world.merchant.id;

/** Two strangers, the first of them twice. */
const recipients = () => [
  { destination: sim.stranger('BTC', 1), amount: '0.1' },
  { destination: sim.stranger('BTC', 2), amount: '0.25' },
  { destination: sim.stranger('BTC', 1), amount: '0.05' },
];

function order(more: Partial<SendCoinsInput> = {}): SendCoinsInput {
  return {
    merchant: sim.world.merchant,
    coin: 'BTC',
    outputs: recipients(),
    idempotencyKey: null,
    ...more,
  };
}

const send = async (more: Partial<SendCoinsInput> = {}) =>
  signed(await sendCoins(sim.world.deps, order(more)));

/** Outputs of a mined transaction, as address and amount. */
async function paidBy(txid: string): Promise<{ address: string; amount: bigint }[]> {
  const row = await sim.world.db
    .selectFrom('sim_transactions')
    .select('bodyJson')
    .where('txid', '=', txid)
    .executeTakeFirstOrThrow();
  const { outputs } = JSON.parse(row.bodyJson) as { outputs: { address: string; amount: string }[] };
  return outputs.map(({ address, amount }) => ({ address, amount: BigInt(amount) }));
}

const naming = (field: string) => ({ code: 'VALIDATION_INVALID', details: [{ field }] });

const asPaid = (outputs: readonly { destination: string; amount: string }[]) =>
  outputs.map(({ destination, amount }) => ({ address: destination, amount: atoms(amount) }));

async function limitTo(allowed: readonly string[]): Promise<void> {
  const now = sim.world.clock.now();
  const watchKey = (destination: string) => sim.world.adapter('BTC').watchKey(destination);
  const allowList = allowed.map((destination) => ({
    coin: 'BTC' as const,
    destination,
    watchKey: watchKey(destination),
    label: '',
  }));
  const terms = { now, delayMs: 0, hasSecondFactor: true };
  const limits = changeLimits(NO_STORED_LIMITS, { allowList }, terms);
  await sim.world.db.transaction(async (tx) => putLimits(tx, { merchantId: shopId(), limits, now }));
}

describe('a send with several outputs', () => {
  it('pays each recipient its amount in one transaction, and the wallet the rest', async () => {
    await sim.fund('BTC', ONE.BTC);
    const estimate = await estimateFee(sim.world.deps, order());
    const sent = await send();
    expect(sent).toMatchObject({
      status: 'broadcast',
      amount: '0.4',
      fee: estimate.fee,
      destination: sim.stranger('BTC', 1),
      outputs: recipients(),
    });
    await sim.mine('BTC');
    const paid = await paidBy(sent.txHash);
    expect(paid).toHaveLength(4);
    expect(paid).toEqual(expect.arrayContaining(asPaid(recipients())));
    expect(paid.reduce((sum, { amount }) => sum + amount, 0n)).toBe(ONE.BTC - atoms(sent.fee));
    expect(await sim.status(sent.id)).toMatchObject({ status: 'confirmed', outputs: recipients() });
    expect(atoms(await sim.world.balance('BTC'))).toBe(ONE.BTC - atoms('0.4') - atoms(sent.fee));
  });

  it('is one entry in the history with its recipients, and one line for each in the books', async () => {
    await sim.fund('BTC', ONE.BTC);
    const { id } = await send();
    await sim.mine('BTC');
    const { transactions } = await listWalletTransactions(sim.world.deps, {
      merchant: sim.world.merchant,
      direction: 'out',
      page: 1,
      limit: 10,
    });
    expect(transactions).toMatchObject([{ id, amount: '0.4', outputs: recipients() }]);
    const found = await listWalletTransactions(sim.world.deps, {
      merchant: sim.world.merchant,
      search: sim.stranger('BTC', 2),
      page: 1,
      limit: 10,
    });
    expect(found.transactions.map((entry) => entry.id)).toEqual([id]);
    await expectBooksToAgree(sim.world.db);
    const lines = await sim.world.db
      .selectFrom('movements')
      .select(['address', 'amount'])
      .where('sendId', '=', id)
      .where('kind', '=', 'send')
      .orderBy('seq')
      .execute();
    const lost = asPaid(recipients()).map(({ address, amount }) => ({ address, amount: `-${amount}` }));
    expect(lines).toEqual(lost);
  });

  it('deducts an equal share of the fee from each recipient with subtractFee', async () => {
    await sim.fund('BTC', atoms('0.4'));
    const sent = await send({ subtractFee: true });
    await sim.mine('BTC');
    const received = sent.outputs ?? [];
    const shares = recipients().map(({ amount }, at) => atoms(amount) - atoms(received[at]!.amount));
    expect(shares.reduce((sum, share) => sum + share)).toBe(atoms(sent.fee));
    expect(Math.max(...shares.map(Number)) - Math.min(...shares.map(Number))).toBeLessThan(3);
    expect(await paidBy(sent.txHash)).toEqual(asPaid(received));
    expect(await sim.world.balance('BTC')).toBe('0');
  });

  it('keeps its recipients when its fee is bumped, and pays none of them when it is cancelled', async () => {
    await sim.fund('BTC', ONE.BTC);
    const sent = await send({ maxFee: '0.1' });
    const raise = async (factor: bigint) => {
      sim.line.quote = null;
      const quote = await sim.world.adapter('BTC').feeQuote();
      sim.line.quote = { ...quote, rate: quote.rate * factor };
    };
    await raise(5n);
    const bumped = await bumpSend(sim.world.deps, { merchantId: shopId(), sendId: sent.id });
    expect(bumped).toMatchObject({ amount: '0.4', outputs: recipients() });
    expect(bumped.txHash).not.toBe(sent.txHash);
    await raise(20n);
    await cancelSend(sim.world.deps, { merchantId: shopId(), sendId: sent.id });
    const cancelling = await sim.status(sent.id);
    await sim.mine('BTC');
    const paid = await paidBy(cancelling.txHash ?? '');
    expect(paid).toHaveLength(1);
    expect(recipients().map(({ destination }) => destination)).not.toContain(paid[0]!.address);
    await expectBooksToAgree(sim.world.db);
  });

  it('is the same send under its idempotency key, and another one with other recipients is refused', async () => {
    await sim.fund('BTC', ONE.BTC);
    const first = await send({ idempotencyKey: 'payroll' });
    expect((await send({ idempotencyKey: 'payroll' })).id).toBe(first.id);
    const [one, two, three] = recipients();
    const others = { outputs: [one!, { ...two!, amount: '0.05' }, { ...three!, amount: '0.25' }] };
    await expect(send({ idempotencyKey: 'payroll', ...others })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_MISMATCH',
    });
  });

  it('is the send with destination and amount when it has one recipient, on every coin', async () => {
    for (const coin of COINS) {
      await sim.fund(coin, ONE[coin]);
      const outputs = [{ destination: sim.stranger(coin), amount: '0.1' }];
      const sent = await send({ coin, outputs });
      expect(sent).toMatchObject({ destination: sim.stranger(coin), amount: '0.1', outputs: null });
    }
  });

  it('gathers its outputs first when it needs more than one transaction spends', async () => {
    await sim.fund('BTC', ...Array.from({ length: 60 }, () => atoms('0.01')));
    const { id } = await sendCoins(sim.world.deps, order());
    expect(await sim.status(id)).toMatchObject({ status: 'preparing', outputs: recipients() });
    for (let at = 0; at < 10 && (await sim.status(id)).status === 'preparing'; at += 1) {
      sim.world.clock.advance(sim.world.deps.policy.retryMaxMs);
      await prepareSends(sim.world.deps, sim.world.chain('BTC'));
      await sim.mine('BTC');
    }
    const done = await sim.status(id);
    expect(done).toMatchObject({ status: 'confirmed', outputs: recipients() });
    expect(await paidBy(done.txHash ?? '')).toEqual(expect.arrayContaining(asPaid(recipients())));
  });

  it('is recognised in a block after a restore that lost the version with a higher fee', async () => {
    await sim.fund('BTC', ONE.BTC);
    const sent = await send({ maxFee: '0.1' });
    const quote = await sim.world.adapter('BTC').feeQuote();
    sim.line.quote = { ...quote, rate: quote.rate * 5n };
    const bumped = await bumpSend(sim.world.deps, { merchantId: shopId(), sendId: sent.id });
    const { db, clock } = sim.world;
    await db.deleteFrom('send_versions').where('txid', '=', bumped.txHash).execute();
    const { txHash: txid } = sent;
    await db.updateTable('sends').set({ txid, version: 1, fee: '1' }).where('id', '=', sent.id).execute();
    await writeMeta(db, 'restored_at', String(clock.now()));
    await sim.mine('BTC');
    expect(await sim.status(sent.id)).toMatchObject({
      status: 'confirmed',
      txHash: bumped.txHash,
      outputs: recipients(),
    });
  });
});

describe('an order with several outputs', () => {
  it.each([
    ['a destination as well', { destination: 'x' }, 'destination'],
    ['an amount as well', { amount: 'max' }, 'amount'],
    ['several recipients of an account coin', { coin: 'ETH' as const }, 'outputs'],
    ['no recipient', { outputs: [] }, 'outputs'],
    [
      '101 recipients',
      { outputs: Array.from({ length: 101 }, () => ({ destination: 'x', amount: '1' })) },
      'outputs',
    ],
  ])('with %s is refused', async (_what, more, field) => {
    await sim.fund('BTC', ONE.BTC);
    await expect(sendCoins(sim.world.deps, order(more))).rejects.toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [{ field }],
    });
  });

  it('names the recipient with an invalid address, dust, or the address of an own payment', async () => {
    await sim.fund('BTC', ONE.BTC);
    const [one, two] = recipients();
    const refusal = async (second: { destination: string; amount: string }) =>
      sendCoins(sim.world.deps, order({ outputs: [one!, second] })).catch((error: unknown) => error);
    expect(await refusal({ ...two!, destination: 'nobody' })).toMatchObject(naming('outputs.1.destination'));
    expect(await refusal({ ...two!, amount: '0.00000001' })).toMatchObject(naming('outputs.1.amount'));
    expect(await refusal({ ...two!, amount: 'max' })).toMatchObject(naming('outputs.1.amount'));
    const own = sim.world.address('BTC');
    await sim.world.db
      .updateTable('addresses')
      .set({ purpose: 'payment' })
      .where('address', '=', own)
      .execute();
    expect(await refusal({ ...two!, destination: own })).toMatchObject(naming('outputs.1.destination'));
  });

  it('needs an approval unless every destination is allowed, and the approved send pays what was shown', async () => {
    await sim.fund('BTC', ONE.BTC);
    await limitTo([sim.stranger('BTC', 1)]);
    const held = await sendCoins(sim.world.deps, order());
    expect(held).toMatchObject({
      status: 'pending_approval',
      approvalReasons: ['destination'],
      outputs: recipients(),
    });
    const { db, deps, merchant, clock } = sim.world;
    const approval = await findApproval(db, held.id);
    const sent = await sendApproved(deps, {
      merchant,
      held: approval!,
      approve: async (tx) => {
        await decideApproval(tx, held.id, { status: 'approved', decidedBy: null, now: clock.now() });
      },
    });
    expect(sent).toMatchObject({ id: held.id, status: 'broadcast', outputs: recipients() });
    await limitTo([sim.stranger('BTC', 1), sim.stranger('BTC', 2)]);
    expect(await send()).toMatchObject({ status: 'broadcast' });
  });

  it('is refused with the available amount when the sum exceeds the balance', async () => {
    await sim.fund('BTC', atoms('0.3'));
    await expect(send()).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringContaining('0.3 BTC is available'),
    });
  });
});
