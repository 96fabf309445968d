import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import type { PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import { addressOf, balanceOf, due, EXPIRY, SvmWorld } from '../../_helpers/svm/world.ts';

const HOUR_MS = 3_600_000;

const exactly = (payment: PaymentJson) => [{ address: addressOf(payment), amount: due(payment) }];

/** The same transaction with a version byte of 1, where it comes as bytes. */
function asVersion1(result: unknown): unknown {
  const { transaction, ...rest } = result as { transaction: unknown };
  if (!Array.isArray(transaction)) return { ...rest, transaction, version: 1 };
  const bytes = Buffer.from(String(transaction[0]), 'base64');
  bytes[1 + 64 * (bytes[0] ?? 0)] = 0x81;
  return { ...rest, version: 1, transaction: [bytes.toString('base64'), 'base64'] };
}

describe('SOL payments on a real Solana virtual machine (SVM)', () => {
  let world: SvmWorld;
  let shop: Shop;

  beforeAll(async () => {
    world = await SvmWorld.start();
    shop = await world.openShop();
  });
  afterAll(async () => world.end());

  const newPayment = async (): Promise<PaymentJson> => shop.createPayment({ allowedCryptos: ['SOL'] });
  const balance = async (): Promise<bigint> => balanceOf(shop);

  /** Pays in full, a way of one's own, and waits for the end. */
  async function settles(pay: (payment: PaymentJson) => string): Promise<PaymentJson> {
    const before = await balance();
    const payment = await newPayment();
    const signature = pay(payment);
    world.node.advance();
    await world.sink.waitForEvent('payment.confirming', payment.id);
    world.node.advance(31);
    await world.sink.waitForEvent('payment.completed', payment.id);
    const done = await shop.payment(payment.id);
    expect(done).toMatchObject({ status: 'completed', exception: null });
    expect(done.options['SOL'].received).toBe(payment.options['SOL'].amount);
    expect(done.transactions.map(({ txid }) => txid)).toEqual([signature]);
    expect(await balance()).toBe(before + due(payment));
    return done;
  }

  it('are detected at commitment confirmed, and complete at finalized and not a block earlier', async () => {
    const payment = await newPayment();
    expect(payment.options['SOL']).toMatchObject({ requiredConfirmations: 32 });
    expect(payment.options['SOL'].uri).toBe(
      `solana:${addressOf(payment)}?amount=${payment.options['SOL'].amount}`,
    );
    world.payer.pay(exactly(payment));
    world.node.advance();
    await world.sink.waitForEvent('payment.confirming', payment.id);
    world.node.advance(30);
    const almost = await eventually(
      'one block short',
      () => shop.payment(payment.id),
      (now) => now.options['SOL'].confirmations === 31,
    );
    expect(almost.status).toBe('confirming');
    world.node.advance();
    await world.sink.waitForEvent('payment.completed', payment.id);
    expect(world.sink.types(payment.id)).toEqual([
      'payment.created',
      'payment.confirming',
      'payment.completed',
    ]);
  });

  it('add up two transfers in one transaction', async () => {
    await settles((payment) => {
      const half = due(payment) / 2n;
      const address = addressOf(payment);
      return world.payer.pay([
        { address, amount: half },
        { address, amount: due(payment) - half },
      ]);
    });
  });

  it('are credited from a version 0 transaction that names the address only in a lookup table', async () => {
    await settles((payment) => world.payer.payThroughTable(exactly(payment)));
  });

  it('are credited when a program other than the system program moved the lamports', async () => {
    await settles((payment) => world.payer.unwrapTo(addressOf(payment), due(payment)));
  });

  it('are credited when a program moved the lamports without an instruction that shows it', async () => {
    await settles((payment) => world.payer.payByProgram(exactly(payment)));
  });

  it('add up several transfers by programs in one transaction', async () => {
    await settles((payment) => {
      const third = due(payment) / 3n;
      const address = addressOf(payment);
      return world.payer.payByProgram([
        { address, amount: third },
        { address, amount: third },
        { address, amount: due(payment) - 2n * third },
      ]);
    });
  });

  it('are not credited for a transfer that was undone because its transaction failed', async () => {
    const payment = await newPayment();
    const signature = world.payer.failAfterPaying(exactly(payment));
    expect(world.node.ledger.transaction(signature)).toMatchObject({
      err: { InstructionError: [2, { Custom: 1 }] },
    });
    world.node.advance(33);
    await world.till.ready();
    expect(await shop.payment(payment.id)).toMatchObject({ status: 'pending', transactions: [] });
    // What follows shows that the failed one was passed by, not merely not reached yet.
    const paid = world.payer.payByProgram(exactly(payment));
    world.node.advance(33);
    await world.sink.waitForEvent('payment.completed', payment.id);
    const done = await shop.payment(payment.id);
    expect(done.transactions.map(({ txid }) => txid)).toEqual([paid]);
    expect(done.options['SOL'].received).toBe(payment.options['SOL'].amount);
  });

  it('are credited from a version 1 transaction that the library cannot decode, by the account list of the node', async () => {
    const scope = { methods: ['getTransaction'] };
    const fault = world.node.inject({ kind: 'rewrite', rewrite: asVersion1 }, scope);
    await settles((payment) => world.payer.payThroughTable(exactly(payment)));
    fault.clear();
    expect(fault.hits).toBeGreaterThan(1);
  });

  it('are offered only above the current rent minimum of the network', async () => {
    const scope = { methods: ['getMinimumBalanceForRentExemption'] };
    // 0.01 SOL; at the fixed rate of 200 dollars that is 2 dollars.
    const fault = world.node.inject({ kind: 'rewrite', rewrite: () => 10_000_000 }, scope);
    const small = { allowedCryptos: ['SOL'], currency: 'USD' };
    await eventually(
      'the new minimum is known',
      async () => {
        world.till.clock.advance(31_000);
        return shop.api.call('POST', '/payment/create', {
          token: shop.publicKey,
          body: { ...small, amount: '1.99', customerId: shop.customerId, orderId: `small-${Date.now()}` },
        });
      },
      ({ body }) => body.error?.code === 'VALIDATION_INVALID' && body.error.message.includes('amount'),
    );
    expect((await shop.createPayment({ ...small, amount: '2.00' })).options['SOL'].amount).toBe('0.01');
    fault.clear();
  });

  it('are kept apart when two are made in one transaction', async () => {
    const [first, second] = [await newPayment(), await newPayment()];
    world.payer.pay([...exactly(first), ...exactly(second)]);
    world.node.advance(33);
    for (const payment of [first, second]) {
      await world.sink.waitForEvent('payment.completed', payment.id);
      const done = await shop.payment(payment.id);
      expect(done.options['SOL'].received).toBe(payment.options['SOL'].amount);
    }
  });

  it('add up partial payments', async () => {
    const payment = await newPayment();
    const address = addressOf(payment);
    world.payer.pay([{ address, amount: due(payment) / 2n }]);
    world.node.advance();
    await world.sink.waitForEvent('payment.underpaid', payment.id);
    world.payer.pay([{ address, amount: due(payment) / 2n }]);
    world.node.advance(33);
    await world.sink.waitForEvent('payment.completed', payment.id);
    expect((await shop.payment(payment.id)).transactions).toHaveLength(2);
  });

  it('complete when late money arrives at the address of an expired payment', async () => {
    const payment = await newPayment();
    world.till.clock.advance(2 * HOUR_MS);
    await world.sink.waitForEvent('payment.expired', payment.id);
    world.payer.pay(exactly(payment));
    world.node.advance();
    await world.sink.waitForEvent('payment.late', payment.id);
    world.node.advance(32);
    await world.sink.waitForEvent('payment.completed', payment.id);
    expect(await shop.payment(payment.id)).toMatchObject({ status: 'completed', exception: 'late' });
  });

  it('are credited on time by their block time when made while the daemon was down', async () => {
    const payment = await newPayment();
    await world.till.down();
    world.payer.pay(exactly(payment));
    // More blocks than are remembered, so that the step over them has to leave a block to stand on.
    world.node.advance(2_500);
    await world.till.up();
    await world.sink.waitForEvent('payment.completed', payment.id);
    expect(await shop.payment(payment.id)).toMatchObject({ exception: null });
    expect(world.sink.types(payment.id)).not.toContain('payment.expired');
  });

  describe('forks', () => {
    it('change only the block of a payment when they include its transaction again', async () => {
      const payment = await newPayment();
      world.payer.pay(exactly(payment));
      world.node.advance(5);
      await world.sink.waitForEvent('payment.confirming', payment.id);
      world.node.fork({ depth: 5 });
      world.node.advance(32);
      await world.sink.waitForEvent('payment.completed', payment.id);
      const done = await shop.payment(payment.id);
      expect(done.transactions).toHaveLength(1);
      expect(done.options['SOL'].received).toBe(payment.options['SOL'].amount);
      expect(world.sink.types(payment.id)).not.toContain('payment.reversed');
    });

    it('cause a rebroadcast when they drop a transaction whose blockhash is still valid', async () => {
      const payment = await newPayment();
      const signature = world.payer.pay(exactly(payment));
      world.node.advance(3);
      await world.sink.waitForEvent('payment.confirming', payment.id);
      world.node.fork({ depth: 3, drop: [signature] });
      world.node.advance(5);
      await eventually(
        'the transaction is back',
        () => world.node.ledger.transaction(signature),
        (landed) => landed !== undefined,
      );
      world.node.advance(33);
      await world.sink.waitForEvent('payment.completed', payment.id);
      expect(world.sink.types(payment.id)).not.toContain('payment.reversed');
    });

    it('reverse the credit when they drop a transaction for good, and the payment can still be paid', async () => {
      // One that holds nothing else: a balance is what one send can reach, whatever lies beyond.
      const poor = await world.openShop();
      const payment = await poor.createPayment({ allowedCryptos: ['SOL'] });
      // Everything this payer has: what it spends elsewhere on the new branch it cannot pay here.
      const cheat = new Payer(world.node, due(payment) + 10_000_000n);
      const signature = cheat.pay(exactly(payment));
      world.node.advance(4);
      await world.sink.waitForEvent('payment.confirming', payment.id);
      // A look that began before the blocks were made shows it as not yet confirmed: that is in no balance.
      await eventually(
        'it is in the balance',
        () => poor.balance('SOL'),
        (balance) => balance === payment.options['SOL'].amount,
      );
      world.node.fork({ depth: 4, drop: [signature] });
      cheat.pay([{ address: strangerAddress(), amount: due(payment) }]);
      world.node.advance(EXPIRY);
      await world.sink.waitForEvent('payment.reversed', payment.id);
      expect(await poor.payment(payment.id)).toMatchObject({ status: 'pending' });
      expect(parseCoinAmount(await poor.balance('SOL'), 'SOL')).toBe(0n);
      world.payer.pay(exactly(payment));
      world.node.advance(33);
      await world.sink.waitForEvent('payment.completed', payment.id);
    });
  });

  it('are credited around skipped slots: before, within and after a payment', async () => {
    const payment = await newPayment();
    world.node.skip(7);
    world.payer.pay(exactly(payment));
    world.node.skip(3);
    world.node.skip(40);
    await world.sink.waitForEvent('payment.confirming', payment.id);
    for (let made = 0; made < 33; made += 1) world.node.skip(made % 3);
    await world.sink.waitForEvent('payment.completed', payment.id);
  });

  describe('an unreliable node', () => {
    it.each([
      ['answers 429 to everything for a while', () => world.node.inject({ kind: 'rateLimit' })],
      ['is slow', () => world.node.inject({ kind: 'delay', ms: 150 })],
      ['drops every second connection', () => world.node.inject({ kind: 'cut' })],
      [
        'has the balance before the history',
        () =>
          world.node.inject({ kind: 'rewrite', rewrite: () => [] }, { methods: ['getSignaturesForAddress'] }),
      ],
      [
        'lists transactions that it cannot return yet',
        () => world.node.inject({ kind: 'rewrite', rewrite: () => null }, { methods: ['getTransaction'] }),
      ],
    ])('causes no payment to be lost when it %s', async (_what, begin) => {
      const payment = await newPayment();
      const fault = begin();
      world.payer.pay(exactly(payment));
      world.node.advance(33);
      await eventually(
        'the fault bites',
        () => fault.hits,
        (hits) => hits > 3,
      );
      fault.clear();
      // As on any cluster, slots go on: what a look could not read is counted in the next one.
      world.node.tick(50);
      await world.sink.waitForEvent('payment.completed', payment.id, 120_000);
      world.node.hold();
      const done = await shop.payment(payment.id);
      expect(done.options['SOL'].received).toBe(payment.options['SOL'].amount);
      expect(done.transactions).toHaveLength(1);
    });

    it('causes no payment to be lost when it restarts while money arrives', async () => {
      const payment = await newPayment();
      await world.node.down();
      world.payer.pay(exactly(payment));
      world.node.advance(33);
      await world.node.up();
      await world.sink.waitForEvent('payment.completed', payment.id, 120_000);
    });
  });
});

it('a Solana cluster with delayed votes settles payments only in finalized blocks, however many blocks are confirmed', async () => {
  await using world = await SvmWorld.start({ finalizedLag: 80, blocks: 80 });
  const shop = await world.openShop();
  const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
  world.payer.pay(exactly(payment));
  world.node.advance(20);
  await world.sink.waitForEvent('payment.confirming', payment.id);
  expect((await shop.payment(payment.id)).options['SOL'].confirmations).toBe(0);
  world.node.advance(59);
  const almost = await eventually(
    'one block short',
    () => shop.payment(payment.id),
    (now) => now.options['SOL'].confirmations === 31,
  );
  expect(almost.status).toBe('confirming');
  world.node.advance();
  await world.sink.waitForEvent('payment.completed', payment.id);
});
