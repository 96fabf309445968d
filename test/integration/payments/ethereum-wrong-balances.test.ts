import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import type { FaultProxy } from '../../_helpers/nodes/index.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

/** In hex digits: the code that reads balances with the 0x before it, an address after it, and a balance it returns. */
const CODE_DIGITS = 2 + 84;
const ADDRESS_DIGITS = 40;
const WORD_DIGITS = 64;

const wei = (text: string): bigint => parseCoinAmount(text, 'ETH');

describe.skipIf(!requireAnvil())('an Ethereum node that sometimes returns a wrong balance', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    // Deep enough that nothing is moved away meanwhile.
    world = await openLiveWorld('ETH', { env: { TILLD_CONFIRMATIONS_ETH: '8' } });
    ({ node: anvil, proxy, sink, till, shop } = world);
  });
  afterEach(async () => proxy.heal());
  afterAll(async () => world.end());

  const order = async (): Promise<PaymentJson> => shop.createPayment({ allowedCryptos: ['ETH'] });
  const mined = async (): Promise<void> => {
    await anvil.mine(1);
    const height = await anvil.height();
    await eventually(
      `block ${height} is read`,
      async () =>
        (await till.api.call<{ chains: Record<string, { height: number }> }>('GET', '/readyz')).body.data
          .chains['ETH']?.height,
      (read) => read === height,
    );
  };
  /** One block during which the balance of the payment's address is told wrong. */
  const lieAbout = async (payment: PaymentJson, told: bigint): Promise<void> => {
    const account = payment.options.ETH.address.toLowerCase().slice(2);
    const rewrite = (result: unknown, _method: string, [asked]: readonly unknown[]): unknown => {
      const at = (asked as { data: string }).data.indexOf(account);
      if (at < 0) return result;
      const word = 2 + ((at - CODE_DIGITS) / ADDRESS_DIGITS) * WORD_DIGITS;
      const words = String(result);
      return (
        words.slice(0, word) + told.toString(16).padStart(WORD_DIGITS, '0') + words.slice(word + WORD_DIGITS)
      );
    };
    const lie = proxy.inject({ kind: 'rewrite', rewrite }, { methods: ['eth_call'] });
    await mined();
    lie.clear();
  };
  const received = async ({ id }: PaymentJson): Promise<string> =>
    (await shop.payment(id)).options.ETH.received;

  it('causes a credit that the next correct balance removes before it settles', async () => {
    const payment = await order();
    // The balance of an address before its first assignment belongs to no payment: that is settled by this block.
    await anvil.rpc('evm_increaseTime', [5]);
    await mined();
    await lieAbout(payment, wei(payment.options.ETH.amount));
    expect(await received(payment)).toBe(payment.options.ETH.amount);
    await mined();
    await sink.waitForEvent('payment.reversed', payment.id);
    expect(await received(payment)).toBe('0');
    await anvil.mine(8);
    await mined();
    expect((await shop.payment(payment.id)).status).toBe('pending');
    expect(sink.types(payment.id)).not.toContain('payment.completed');
  });

  it.each([
    ['to the address directly', false],
    ['through a contract', true],
  ])('does not prevent that money paid %s is credited exactly once', async (_how, isInside) => {
    const payment = await order();
    const output = { address: payment.options.ETH.address, amount: wei(payment.options.ETH.amount) };
    await (isInside ? anvil.payInside([output]) : anvil.pay(output));
    await mined();
    await lieAbout(payment, 0n);
    for (let block = 0; block < 9; block += 1) await mined();
    await sink.waitForEvent('payment.completed', payment.id);
    const done = await shop.payment(payment.id);
    expect(done).toMatchObject({ status: 'completed', exception: null });
    expect(done.options.ETH.received).toBe(payment.options.ETH.amount);
    expect(done.transactions.filter(({ status }) => status !== 'reversed')).toHaveLength(1);
  });
});
