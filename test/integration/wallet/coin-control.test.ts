/** Sends that spend chosen outputs, and outputs that no send may use. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { freezeOutputs } from '../../../src/usecases/wallet/freeze-outputs.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { listOutputs, type WalletOutput } from '../../../src/usecases/wallet/list-outputs.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import type { SendCoinsInput } from '../../../src/usecases/wallet/send/send-coins.ts';
import { consolidate } from '../../../src/usecases/wallet/sweep/consolidate.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

let sim: SimulatedWorld;
beforeEach(async () => {
  sim = await openSimulatedWorld();
});
afterEach(async () => sim.close());

const atoms = (amount: string) => parseCoinAmount(amount, 'BTC');
const naming = (field: string, code: string) => ({
  code: 'VALIDATION_INVALID',
  details: [{ field, code }],
});
const shopId = () => sim.world.merchant.id;

async function outputs(): Promise<WalletOutput[]> {
  const { merchant } = sim.world;
  const listed = await listOutputs(sim.world.deps, { merchant, coin: 'BTC', page: 1, limit: 100 });
  return listed.outputs.toSorted((a, b) => Number(a.amount) - Number(b.amount));
}
const asInput = ({ txHash, index }: WalletOutput) => ({ txHash, index });
const freeze = async (frozen: readonly WalletOutput[]) =>
  freezeOutputs(sim.world.deps, {
    merchant: sim.world.merchant,
    coin: 'BTC',
    outputs: frozen.map(asInput),
    frozen: true,
  });
const send = async (amount: string, more: Partial<SendCoinsInput>) => sim.send('BTC', amount, more);

/** Outputs that a transaction spends, as `txid:index`. */
async function spentBy(txid: string): Promise<string[]> {
  const { raw } = await sim.world.db
    .selectFrom('send_versions')
    .select('raw')
    .where('txid', '=', txid)
    .executeTakeFirstOrThrow();
  const { inputs } = JSON.parse(raw) as { inputs: { txid: string; index: number }[] };
  return inputs.map(({ txid: of, index }) => `${of}:${index}`).toSorted();
}
const keys = (chosen: readonly WalletOutput[]) =>
  chosen.map(({ txHash, index }) => `${txHash}:${index}`).toSorted();

async function quoteTimes(factor: bigint): Promise<void> {
  sim.line.quote = null;
  const quote = await sim.world.adapter('BTC').feeQuote();
  sim.line.quote = { ...quote, rate: quote.rate * factor };
}

describe('a send with inputs', () => {
  it('spends all of them and no others, and returns the rest as change', async () => {
    await sim.fund('BTC', ONE.BTC, 2n * ONE.BTC, 3n * ONE.BTC);
    const [one, two, three] = await outputs();
    const inputs = [one!, two!].map(asInput);
    const sent = await send('0.25', { inputs });
    expect(await spentBy(sent.txHash)).toEqual(keys([one!, two!]));
    await sim.mine('BTC');
    const left = await outputs();
    expect(left.map(({ amount }) => atoms(amount))).toEqual([
      3n * ONE.BTC - atoms('0.25') - atoms(sent.fee),
      atoms(three!.amount),
    ]);
  });

  it('sends all that they hold with amount max, without change', async () => {
    await sim.fund('BTC', ONE.BTC, 2n * ONE.BTC, 3n * ONE.BTC);
    const [one, two] = await outputs();
    const sent = await send('max', { inputs: [one!, two!].map(asInput) });
    expect(atoms(sent.amount) + atoms(sent.fee)).toBe(3n * ONE.BTC);
    await sim.mine('BTC');
    expect(await sim.world.balance('BTC')).toBe('3');
  });

  it('pays several recipients from them', async () => {
    await sim.fund('BTC', ONE.BTC, 2n * ONE.BTC);
    const [one] = await outputs();
    const sent = await send('', {
      destination: undefined,
      amount: undefined,
      inputs: [asInput(one!)],
      outputs: [1, 2].map((at) => ({ destination: sim.stranger('BTC', at), amount: '0.3' })),
    });
    expect(await spentBy(sent.txHash)).toEqual(keys([one!]));
  });

  it('spends no others when its fee is bumped, and is not bumped beyond what they hold', async () => {
    await sim.fund('BTC', ONE.BTC, 2n * ONE.BTC);
    const [one] = await outputs();
    const sent = await send('0.999', { inputs: [asInput(one!)], maxFee: '0.5' });
    await quoteTimes(4n);
    const bumped = await bumpSend(sim.world.deps, { merchantId: shopId(), sendId: sent.id });
    expect(bumped.txHash).not.toBe(sent.txHash);
    expect(await spentBy(bumped.txHash ?? '')).toEqual(keys([one!]));
    await quoteTimes(10_000n);
    await expect(
      bumpSend(sim.world.deps, { merchantId: shopId(), sendId: sent.id, feeRate: '5000' }),
    ).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  });

  it('is refused with what they hold when that is too little', async () => {
    await sim.fund('BTC', ONE.BTC, 2n * ONE.BTC);
    const [one] = await outputs();
    await expect(send('1', { inputs: [asInput(one!)] })).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: [{ field: 'inputs', code: 'inputs_too_small' }],
    });
  });

  it('names an input that is unknown, listed twice, frozen, reserved or not confirmed', async () => {
    await sim.fund('BTC', ONE.BTC, 2n * ONE.BTC, 3n * ONE.BTC);
    const [one, two, three] = await outputs();
    const refusal = async (...inputs: { txHash: string; index: number }[]) =>
      send('0.1', { inputs }).catch((error: unknown) => error);
    const unknown = { txHash: 'a'.repeat(64), index: 0 };
    expect(await refusal(asInput(one!), unknown)).toMatchObject(naming('inputs.1', 'invalid'));
    expect(await refusal(asInput(one!), asInput(one!))).toMatchObject(naming('inputs.1', 'invalid'));
    await freeze([two!]);
    expect(await refusal(asInput(two!))).toMatchObject(naming('inputs.0', 'frozen'));
    await send('0.1', { inputs: [asInput(three!)] });
    expect(await refusal(asInput(three!))).toMatchObject(naming('inputs.0', 'reserved'));
    const address = sim.world.address('BTC');
    await sim.control('BTC').pay([{ address, amount: 7n * ONE.BTC }]);
    await sim.world.sync('BTC');
    const received = (await outputs()).at(-1);
    expect(await refusal(asInput(received!))).toMatchObject(naming('inputs.0', 'unconfirmed'));
    const account = { coin: 'ETH' as const, destination: sim.stranger('ETH'), inputs: [unknown] };
    await expect(send('0.1', account)).rejects.toMatchObject(naming('inputs', 'invalid'));
  });

  it('is the same send under its idempotency key, and another one with other inputs is refused', async () => {
    await sim.fund('BTC', ONE.BTC, 2n * ONE.BTC);
    const [one, two] = await outputs();
    const order = { inputs: [asInput(one!)], idempotencyKey: 'chosen' };
    const first = await send('0.1', order);
    expect((await send('0.1', order)).id).toBe(first.id);
    for (const inputs of [[asInput(two!)], undefined])
      await expect(send('0.1', { ...order, inputs })).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  });
});

describe('a frozen output', () => {
  it('is used by no send, no consolidation and no fee bump', async () => {
    await sim.fund('BTC', ONE.BTC, 2n * ONE.BTC, 3n * ONE.BTC);
    const [one, two, three] = await outputs();
    const sent = await send('0.999', { inputs: [asInput(one!)], maxFee: '0.5' });
    await freeze([two!, three!]);
    await expect(send('1', {})).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await expect(
      consolidate(sim.world.deps, { merchant: sim.world.merchant, coin: 'BTC' }),
    ).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await sim.mine('BTC');
    const other = await send('0.0005', {});
    await quoteTimes(1_000n);
    sim.world.clock.advance(sim.world.deps.policy.bumpAfterMs);
    await bumpSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.status(sent.id)).toMatchObject({ status: 'confirmed' });
    const versions = await sim.world.db
      .selectFrom('send_versions')
      .select('txid')
      .where('sendId', '=', other.id)
      .execute();
    const frozen = keys([two!, three!]);
    for (const { txid } of versions)
      expect((await spentBy(txid)).filter((key) => frozen.includes(key))).toEqual([]);
  });

  it('is not spent by the child that raises the fee of the send whose change it is (CPFP)', async () => {
    await sim.fund('BTC', ONE.BTC);
    const sent = await send('0.1', { maxFee: '0.1' });
    const change = (await outputs()).find(({ txHash }) => txHash === sent.txHash);
    await freeze([change!]);
    // A node that accepts no replacement makes the next bump a child.
    await quoteTimes(4n);
    sim.line.broadcast = async (transaction, submit) =>
      transaction.txid === sent.txHash ? submit() : { kind: 'unknown', reason: 'no replacement' };
    for (let at = 0; at < 3; at += 1) {
      sim.world.clock.advance(sim.world.deps.policy.bumpAfterMs);
      await bumpSends(sim.world.deps, sim.world.chain('BTC'));
    }
    const children = await sim.world.db
      .selectFrom('sends')
      .select('id')
      .where('purpose', '=', 'sweep')
      .execute();
    expect(children).toEqual([]);
  });
});
