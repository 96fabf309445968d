import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatCoinAmount } from '../../../src/domain/money.ts';
import type { SendJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { makeHole } from '../../_helpers/svm/hole.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { addressOf, due, EXPIRY, SETTLED, SvmWorld } from '../../_helpers/svm/world.ts';

const DEPOSIT = 500_000_000n;
const AMOUNT = 300_000_000n;

interface Health {
  readonly state: string;
  readonly height: number;
  readonly alarms: string[];
  readonly warnings: string[];
  readonly lastError?: string | null;
}

describe('a Solana node that lacks the blocks of some slots', () => {
  let world: SvmWorld;
  let shop: Shop;

  beforeEach(async () => {
    world = await SvmWorld.start();
    shop = await world.openShop();
  });
  afterEach(async () => world.end());

  const status = async (id: string): Promise<Record<string, string>> =>
    shop.api.must('GET', `/merchant/wallet/send-status?sendId=${id}`, { token: shop.secretKey });

  async function chain(): Promise<Health> {
    const { body } = await world.till.api.call<{ chains: Record<string, Health> }>('GET', '/readyz');
    const told = body.data.chains['SOL'];
    if (told === undefined) throw new Error('SOL is not watched');
    return told;
  }

  /** Rounds of the daemon go by, its clock moved on and blocks made, until something is so. */
  async function until(what: string, isSo: () => Promise<boolean> | boolean, stepMs = 1_000): Promise<void> {
    const look = async (): Promise<boolean> => {
      world.till.clock.advance(stepMs);
      world.node.advance(1);
      return isSo();
    };
    await eventually(what, look, Boolean, 40_000);
  }

  const asked = (): number => world.node.calls.filter((method) => method === 'isBlockhashValid').length;

  it.each([
    ['paid again from other deposits', 2],
    ['marked as failed', 1],
  ])('does not cause a send that was executed in a missing slot to be %s', async (_what, deposits) => {
    const destination = strangerAddress();
    await world.earn(shop, deposits, DEPOSIT);
    const { body } = await shop.send({ coin: 'SOL', destination, amount: formatCoinAmount(AMOUNT, 'SOL') });
    if (!body.success) throw new Error(JSON.stringify(body));
    const sent: SendJson = body.data;
    const at = world.node.ledger.top.slot;
    const hole = makeHole(world.node, at, at + 100);
    world.node.advance(EXPIRY);
    expect(world.lamports(destination)).toBe(AMOUNT);
    const since = world.till.clock.now();
    const isOver = (): boolean => asked() >= 8 && world.till.clock.now() - since > 20 * 60_000;
    const isWrong = async (): Promise<boolean> =>
      world.lamports(destination) > AMOUNT || (await status(sent.id))['status'] === 'failed';
    await until('all patience is over', async () => isOver() || isWrong(), 120_000);
    expect(world.lamports(destination)).toBe(AMOUNT);
    expect(await status(sent.id)).toMatchObject({ status: 'broadcast', txHash: sent.txHash });
    // The clock ran ahead of the rounds, which now catch up.
    await until('the operator is told', async () => (await chain()).alarms.includes('pruned'));
    expect((await chain()).warnings.join()).toContain('keep their funds reserved');
    hole.clear();
    await until(
      'a node with the blocks tells',
      async () => (await status(sent.id))['status'] === 'confirmed',
    );
    expect(world.lamports(destination)).toBe(AMOUNT);
    expect(world.sink.types(sent.id)).not.toContain('send.failed');
  });

  it('does not affect money that was credited before the node lost the slots', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
    world.payer.pay([{ address: addressOf(payment), amount: due(payment) }]);
    const paidIn = world.node.ledger.top.slot;
    world.node.advance(8);
    await world.sink.waitForEvent('payment.confirming', payment.id);
    await until('the cursor is beyond it', async () => (await chain()).height > paidIn + 2);
    // Killed before these slots were rooted; it comes back from a snapshot of many slots later.
    const last = world.node.ledger.top.slot + 150;
    makeHole(world.node, paidIn - 1, last);
    world.node.advance(EXPIRY);
    const isTold = async (): Promise<boolean> => (await chain()).warnings.join().includes('gap');
    const isWrong = (): boolean => world.sink.types(payment.id).includes('payment.reversed');
    await until('it is told', async () => isWrong() || isTold(), 5_000);
    expect(world.sink.types(payment.id)).not.toContain('payment.reversed');
    await until('it is followed again', async () => (await chain()).height > last);
    await world.sink.waitForEvent('payment.completed', payment.id);
    const { transactions } = await shop.payment(payment.id);
    expect(transactions).toMatchObject([{ blockHeight: paidIn }]);
    expect((await chain()).alarms).toContain('pruned');

    const next = await shop.createPayment({ allowedCryptos: ['SOL'] });
    world.payer.pay([{ address: addressOf(next), amount: due(next) }]);
    world.node.advance(SETTLED);
    await world.sink.waitForEvent('payment.completed', next.id);
  });

  it('stops the scan with an error when an account has less money after the missing slots, and nothing is written off', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
    const address = addressOf(payment);
    world.payer.pay([{ address, amount: due(payment) }]);
    const paidIn = world.node.ledger.top.slot;
    world.node.advance(8);
    await world.sink.waitForEvent('payment.confirming', payment.id);
    await until('the cursor is beyond it', async () => (await chain()).height > paidIn + 2);
    const last = world.node.ledger.top.slot + 150;
    const hole = makeHole(world.node, paidIn - 1, last);
    const account = world.node.ledger.accountAt(address, 'processed');
    if (account === null) throw new Error('the account is empty');
    world.node.ledger.put(address, { ...account, lamports: account.lamports - 1n });
    world.node.advance(EXPIRY);
    await until(
      'the operator is told',
      async () => /hold less than their ledger balance/.test((await chain()).lastError ?? ''),
      5_000,
    );
    expect((await chain()).height).toBeLessThan(last);
    expect(world.sink.types(payment.id)).not.toContain('payment.reversed');
    world.node.ledger.put(address, account);
    hole.clear();
    world.node.advance(SETTLED);
    await until('it is followed again', async () => (await chain()).height > last);
    await world.sink.waitForEvent('payment.completed', payment.id);
  });
});
