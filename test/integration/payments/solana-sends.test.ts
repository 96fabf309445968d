import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import type { SendJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { balanceOf, EXPIRY, SETTLED, SvmWorld } from '../../_helpers/svm/world.ts';

const SIGNATURE_FEE = 5_000n;
const DEPOSIT = 500_000_000n;

async function send(shop: Shop, destination: string, amount: bigint, more: object = {}): Promise<SendJson> {
  const body = { coin: 'SOL', destination, amount: formatCoinAmount(amount, 'SOL'), ...more };
  const answer = await shop.send(body);
  if (!answer.body.success) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

async function confirmed(shop: Shop, id: string): Promise<Record<string, string>> {
  return eventually(
    'the send is confirmed',
    () =>
      shop.api.must<Record<string, string>>('GET', `/merchant/wallet/send-status?sendId=${id}`, {
        token: shop.secretKey,
      }),
    ({ status }) => status === 'confirmed',
  );
}

/** What recent blocks took, as the node tells it. */
const recentFees = (microLamports: number) => () =>
  Array.from({ length: 150 }, (_, slot) => ({ slot, prioritizationFee: microLamports }));

/** The compute limit that a transaction set for itself: its first instruction. */
function limitOf({ node }: SvmWorld, txid: string): number {
  const message = node.ledger.transaction(txid)?.wire.message;
  const data = message?.compiledInstructions[0]?.data;
  return Buffer.from(data ?? []).readUInt32LE(1);
}

describe('SOL sends on a real Solana virtual machine (SVM)', () => {
  let world: SvmWorld;

  beforeAll(async () => {
    world = await SvmWorld.start();
  });
  afterAll(async () => world.end());

  /** Completed payments of half a SOL each. Answers their addresses. */
  async function earn(shop: Shop, count: number): Promise<string[]> {
    const before = await balanceOf(shop);
    const addresses = await world.earn(shop, count, DEPOSIT);
    expect(await balanceOf(shop)).toBe(before + DEPOSIT * BigInt(count));
    return addresses;
  }

  /** Payments of half a SOL that are confirmed and not settled yet. */
  async function paid(shop: Shop, count: number): Promise<string[]> {
    const addresses: string[] = [];
    for (let made = 0; made < count; made += 1) {
      const { id, options } = await shop.createPayment({ allowedCryptos: ['SOL'] });
      addresses.push(options['SOL'].address);
      world.payer.pay([{ address: options['SOL'].address, amount: DEPOSIT }]);
      world.node.advance();
      await world.sink.waitForEvent('payment.confirming', id);
    }
    return addresses;
  }

  /** Money on the merchant address itself. */
  async function fundWallet(shop: Shop, amount: bigint): Promise<void> {
    const before = await balanceOf(shop);
    world.payer.pay([{ address: shop.wallets.SOL, amount }]);
    world.node.advance(2);
    await eventually(
      'the wallet is credited',
      () => balanceOf(shop),
      (now) => now === before + amount,
    );
  }

  const feeOf = (txid: string): bigint => world.node.ledger.transaction(txid)?.fee ?? -1n;

  it('spend five deposit accounts at once and empty each to exactly 0', async () => {
    const shop = await world.openShop();
    const deposits = await earn(shop, 5);
    const destination = strangerAddress();
    const sent = await send(shop, destination, 2_400_000_000n);
    world.node.advance(2);
    const status = await confirmed(shop, sent.id);
    expect(world.lamports(destination)).toBe(2_400_000_000n);
    for (const deposit of deposits) expect(world.lamports(deposit)).toBe(0n);
    const fee = feeOf(sent.txHash);
    expect(status['fee']).toBe(formatCoinAmount(fee, 'SOL'));
    expect(fee).toBeGreaterThan(5n * SIGNATURE_FEE);
    expect(world.lamports(shop.wallets.SOL)).toBe(100_000_000n - fee);
    expect(await balanceOf(shop)).toBe(100_000_000n - fee);
  });

  it('use the merchant address for the fee and the missing amount', async () => {
    const shop = await world.openShop();
    await fundWallet(shop, 300_000_000n);
    const [deposit] = await earn(shop, 1);
    const destination = strangerAddress();
    const sent = await send(shop, destination, 700_000_000n);
    world.node.advance(2);
    await confirmed(shop, sent.id);
    const landed = world.node.ledger.transaction(sent.txHash);
    expect(landed?.wire.staticKeys[0]).toBe(shop.wallets.SOL);
    expect([world.lamports(destination), world.lamports(deposit!)]).toEqual([700_000_000n, 0n]);
    const rest = 100_000_000n - feeOf(sent.txHash);
    expect(world.lamports(shop.wallets.SOL)).toBe(rest);
    expect(await balanceOf(shop)).toBe(rest);
  });

  it('send the whole balance with the fee deducted from the amount, and leave nothing anywhere', async () => {
    const shop = await world.openShop();
    const deposits = await earn(shop, 3);
    const destination = strangerAddress();
    const sent = await send(shop, destination, await balanceOf(shop), { subtractFee: true });
    world.node.advance(2);
    await confirmed(shop, sent.id);
    expect(world.lamports(destination)).toBe(1_500_000_000n - feeOf(sent.txHash));
    expect(deposits.map((address) => world.lamports(address))).toEqual([0n, 0n, 0n]);
    expect(await balanceOf(shop)).toBe(0n);
  });

  it('are refused when they would leave or create an account below the rent minimum', async () => {
    const shop = await world.openShop();
    await earn(shop, 1);
    const body = { coin: 'SOL', destination: strangerAddress(), amount: '0.4996' };
    const stranded = await shop.send(body);
    expect(stranded.body.error).toMatchObject({ code: 'VALIDATION_INVALID' });
    const tiny = await shop.send({ ...body, amount: '0.0005' });
    expect(tiny.body.error).toMatchObject({ code: 'SEND_REJECTED' });
    expect(await balanceOf(shop)).toBe(500_000_000n);
  });

  describe('that spend more deposits than fit into one transaction', () => {
    it('are refused above the maximum of one transaction until the deposits are swept, and then send everything', async () => {
      const shop = await world.openShop();
      const deposits = await paid(shop, 25);
      world.node.advance();
      // Nine accounts fit into a transaction.
      await eventually(
        'nine can be reached',
        () => balanceOf(shop),
        (now) => now === 4_500_000_000n,
      );
      const destination = strangerAddress();
      const order = { coin: 'SOL', destination, amount: '12.4' };
      // Refused until the last of the deposits is in a block that was read, too.
      const refusal = async (): Promise<string> => {
        const { body } = await shop.send(order);
        expect(body.error).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
        return body.error?.message ?? '';
      };
      const early = await eventually('all deposits are read', refusal, (message) =>
        message.includes('8 SOL more is on payment addresses'),
      );
      expect(early).toContain('4.5 SOL is available');
      world.node.tick(50);
      const fees = 25n * SIGNATURE_FEE + 10_000n;
      await eventually(
        'all can be reached',
        () => balanceOf(shop),
        (now) => now > 12_500_000_000n - fees,
        30_000,
      );
      // What is on its way to the merchant address can be reached as well: here it has arrived.
      const gathered = await eventually(
        'all is gathered',
        () => world.lamports(shop.wallets.SOL) + 8n * DEPOSIT,
        (now) => now > 12_500_000_000n - fees,
        30_000,
      );
      world.node.hold();
      expect(deposits.filter((address) => world.lamports(address) === 0n)).toHaveLength(17);
      expect(world.lamports(shop.wallets.SOL)).toBe(gathered - 8n * 500_000_000n);
      const sent = await send(shop, destination, 12_400_000_000n);
      world.node.tick(50);
      await confirmed(shop, sent.id);
      world.node.hold();
      expect(world.lamports(destination)).toBe(12_400_000_000n);
      expect(deposits.map((address) => world.lamports(address))).toEqual(deposits.map(() => 0n));
      expect(world.lamports(shop.wallets.SOL)).toBe(gathered - 12_400_000_000n - feeOf(sent.txHash));
    });
  });

  describe('with a fee', () => {
    it.each([
      ['that follows recent blocks', 2_000_000, 2],
      ['that ends at the cap, however high recent fees are', 900_000_000, 5],
    ])('%s have the same fee in estimate, response and chain', async (_what, recent, lamportsPerUnit) => {
      const shop = await world.openShop();
      await earn(shop, 2);
      const scope = { methods: ['getRecentPrioritizationFees'] };
      const fault = world.node.inject({ kind: 'rewrite', rewrite: recentFees(recent) }, scope);
      const order = { coin: 'SOL', destination: strangerAddress(), amount: '0.7' };
      const estimate = await shop.api.must<{ fee: string }>('POST', '/merchant/wallet/estimate-fee', {
        token: shop.secretKey,
        body: order,
      });
      const answer = await shop.send(order);
      fault.clear();
      world.node.advance(2);
      const { id, txHash, fee } = answer.body.data;
      await confirmed(shop, id);
      const used = Number(world.node.ledger.transaction(txHash)?.unitsConsumed);
      expect(limitOf(world, txHash)).toBe(Math.ceil(used * 1.2));
      const expected = 2n * SIGNATURE_FEE + BigInt(limitOf(world, txHash) * lamportsPerUnit);
      expect(feeOf(txHash)).toBe(expected);
      expect([estimate.fee, fee]).toEqual([
        formatCoinAmount(expected, 'SOL'),
        formatCoinAmount(expected, 'SOL'),
      ]);
    });

    it.each([
      ['refuses to try it', { kind: 'error', code: -32601, message: 'Method not found' }],
      ['does not answer', { kind: 'status', status: 503 }],
      ['does not tell', { kind: 'rewrite', rewrite: () => ({ context: { slot: 1 }, value: { err: null } }) }],
    ] as const)('have a bounded compute limit when the node %s', async (_what, fault) => {
      const shop = await world.openShop();
      await earn(shop, 1);
      const injected = world.node.inject(fault, { methods: ['simulateTransaction'] });
      const sent = await send(shop, strangerAddress(), 400_000_000n);
      expect(injected.hits).toBeGreaterThan(0);
      injected.clear();
      world.node.advance(2);
      await confirmed(shop, sent.id);
      expect(limitOf(world, sent.txHash)).toBe(4 * 450);
    });
  });

  it('empty an account that also received hundreds of tiny payments', async () => {
    const shop = await world.openShop();
    const [deposit] = await earn(shop, 1);
    for (let times = 0; times < 600; times += 1) world.payer.pay([{ address: deposit!, amount: 1n }]);
    world.node.advance(2);
    await eventually(
      'all of it counts',
      () => balanceOf(shop),
      (now) => now === 500_000_600n,
      20_000,
    );
    const destination = strangerAddress();
    const sent = await send(shop, destination, 500_000_600n, { subtractFee: true });
    world.node.advance(2);
    await confirmed(shop, sent.id);
    expect([world.lamports(deposit!), world.lamports(destination)]).toEqual([
      0n,
      500_000_600n - feeOf(sent.txHash),
    ]);
    expect(await balanceOf(shop)).toBe(0n);
  });

  it('never spend the same money in two concurrent sends', async () => {
    const shop = await world.openShop();
    await earn(shop, 2);
    const [first, second] = [strangerAddress(), strangerAddress()];
    const answers = await Promise.all([
      shop.send({ coin: 'SOL', destination: first, amount: '0.45' }),
      shop.send({ coin: 'SOL', destination: second, amount: '0.45' }),
    ]);
    expect(answers.map(({ body }) => body.success)).toEqual([true, true]);
    world.node.advance(2);
    for (const { body } of answers) await confirmed(shop, body.data.id);
    expect([world.lamports(first), world.lamports(second)]).toEqual([450_000_000n, 450_000_000n]);
    const third = await shop.send({ coin: 'SOL', destination: first, amount: '0.45' });
    expect(third.body.error).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  });

  it('are all broadcast when three are created at once with money at the merchant address and on deposits', async () => {
    const shop = await world.openShop();
    await fundWallet(shop, 2_000_000_000n);
    await earn(shop, 3);
    const destinations = [strangerAddress(), strangerAddress(), strangerAddress()];
    const answers = await Promise.all(
      destinations.map(async (destination) => shop.send({ coin: 'SOL', destination, amount: '0.3' })),
    );
    expect(answers.map(({ body }) => body.error)).toEqual([null, null, null]);
    world.node.advance(2);
    for (const { body } of answers) await confirmed(shop, body.data.id);
    expect(destinations.map((destination) => world.lamports(destination))).toEqual(
      destinations.map(() => 300_000_000n),
    );
  });

  it('wait for the send whose change they spend, together with new deposits, and both pay', async () => {
    const shop = await world.openShop();
    await fundWallet(shop, 500_000_000n);
    const [first, second] = [strangerAddress(), strangerAddress()];
    world.node.dropNext(1);
    const sent = await send(shop, first, 300_000_000n);
    const rest = 200_000_000n - parseCoinAmount(sent.fee, 'SOL');
    expect(await balanceOf(shop)).toBe(rest);
    world.payer.pay([{ address: shop.wallets.SOL, amount: 400_000_000n }]);
    world.node.advance(3);
    await eventually(
      'what came in counts',
      () => balanceOf(shop),
      (now) => now === rest + 400_000_000n,
    );
    const order = { coin: 'SOL', destination: second, amount: '0.7' };
    const refused = await shop.send(order);
    expect(refused.body.error).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(refused.body.error?.message).toContain(
      `${formatCoinAmount(rest + 400_000_000n, 'SOL')} SOL is available`,
    );
    const next = await send(shop, second, 500_000_000n);
    expect(next.status).toBe('queued');
    expect(world.node.dropped).toHaveLength(1);
    world.node.landDropped();
    world.node.advance(2);
    await confirmed(shop, sent.id);
    await world.sink.waitForEvent('send.broadcast', next.id);
    world.node.advance(2);
    await confirmed(shop, next.id);
    expect([world.lamports(first), world.lamports(second)]).toEqual([300_000_000n, 500_000_000n]);
    expect(world.sink.types(sent.id)).not.toContain('send.failed');
    expect(await balanceOf(shop)).toBe(world.lamports(shop.wallets.SOL));
  });

  describe('that the network drops', () => {
    it('are rebroadcast with the same bytes until they are executed', async () => {
      const shop = await world.openShop();
      await earn(shop, 1);
      const destination = strangerAddress();
      world.node.dropNext(2);
      const sent = await send(shop, destination, 300_000_000n);
      expect(world.lamports(destination)).toBe(0n);
      for (let round = 0; round < 2; round += 1) {
        world.till.clock.advance(6_000);
        await eventually(
          'it is offered again',
          () => world.node.calls.filter((method) => method === 'sendTransaction').length,
          (count) => count > round + 1,
        );
      }
      await eventually(
        'it landed',
        () => world.lamports(destination),
        (now) => now === 300_000_000n,
      );
      world.node.advance(2);
      expect((await confirmed(shop, sent.id))['txHash']).toBe(sent.txHash);
    });

    it('are signed again exactly once when their blockhash expired', async () => {
      const shop = await world.openShop();
      await earn(shop, 1);
      const destination = strangerAddress();
      world.node.dropNext(1);
      const sent = await send(shop, destination, 300_000_000n);
      world.node.advance(EXPIRY);
      world.till.clock.advance(6_000);
      await eventually(
        'it landed',
        () => world.lamports(destination),
        (now) => now === 300_000_000n,
      );
      world.node.advance(2);
      const status = await confirmed(shop, sent.id);
      expect(status['txHash']).not.toBe(sent.txHash);
      expect(world.node.ledger.transaction(sent.txHash)).toBeUndefined();
      world.node.advance(EXPIRY);
      world.till.clock.advance(60_000);
      world.node.advance(2);
      await world.till.ready();
      expect(world.node.ledger.transactionsOf(destination)).toHaveLength(1);
      expect(world.lamports(destination)).toBe(300_000_000n);
      await world.sink.waitForEvent('send.confirmed', sent.id);
      expect(world.sink.of(sent.id).filter(({ body }) => body.type === 'send.confirmed')).toHaveLength(1);
    });

    it('pay a higher priority fee at each new signature', async () => {
      const shop = await world.openShop();
      await earn(shop, 1);
      const destination = strangerAddress();
      let isBusy = false;
      const asked: unknown[] = [];
      const fees = world.node.inject(
        {
          kind: 'rewrite',
          rewrite: (result) => (isBusy ? recentFees(3_000_000)() : result),
        },
        {
          methods: ['getRecentPrioritizationFees'],
          about: ([accounts]) => {
            asked.push(accounts);
            isBusy = (accounts as string[]).includes(destination) && asked.length > 1;
            return true;
          },
        },
      );
      world.node.dropNext(2);
      const sent = await send(shop, destination, 300_000_000n);
      const paid = [sent.fee];
      while (paid.length < 3) {
        world.node.advance(EXPIRY);
        const status = await eventually(
          'it is signed anew',
          async () =>
            shop.api.must<Record<string, string>>('GET', `/merchant/wallet/send-status?sendId=${sent.id}`, {
              token: shop.secretKey,
            }),
          ({ fee }) => !paid.includes(fee ?? ''),
          30_000,
        );
        paid.push(status['fee'] ?? '');
      }
      fees.clear();
      await eventually(
        'it landed',
        () => String(world.lamports(destination)),
        (now) => now === '300000000',
      );
      world.node.advance(2);
      await confirmed(shop, sent.id);
      expect(asked.every((accounts) => (accounts as string[]).includes(destination))).toBe(true);
      expect(world.node.ledger.transactionsOf(destination)).toHaveLength(1);
      const atoms = paid.map((fee) => parseCoinAmount(fee, 'SOL'));
      // From the floor to what was asked, then twice that, within the cap of 5,000 lamports per 1,000 units.
      expect(atoms[1]! - SIGNATURE_FEE).toBeGreaterThan(100n * (atoms[0]! - SIGNATURE_FEE));
      expect(atoms[2]! - SIGNATURE_FEE).toBeGreaterThan(atoms[1]! - SIGNATURE_FEE);
    });

    it('are not signed again while they may still be executed, nor when they were executed unnoticed', async () => {
      const shop = await world.openShop();
      await earn(shop, 1);
      const destination = strangerAddress();
      const blind = world.node.inject({ kind: 'cut', after: true }, { methods: ['sendTransaction'] });
      const sent = await send(shop, destination, 300_000_000n);
      world.node.advance(EXPIRY);
      world.till.clock.advance(6_000);
      const status = await confirmed(shop, sent.id);
      blind.clear();
      expect(status['txHash']).toBe(sent.txHash);
      expect(world.lamports(destination)).toBe(300_000_000n);
    });

    it('are sent again after a fork that drops them, and pay once', async () => {
      const shop = await world.openShop();
      await earn(shop, 1);
      const destination = strangerAddress();
      const sent = await send(shop, destination, 300_000_000n);
      world.node.advance(3);
      await confirmed(shop, sent.id);
      world.node.fork({ depth: 3, drop: [sent.txHash] });
      world.node.advance(5);
      expect(world.lamports(destination)).toBe(0n);
      await eventually(
        'it landed again',
        () => world.lamports(destination),
        (now) => now === 300_000_000n,
      );
      world.node.advance(40);
      await confirmed(shop, sent.id);
      await eventually(
        'the balance is the rest',
        () => balanceOf(shop),
        (now) =>
          now ===
          200_000_000n - feeOf(world.node.ledger.transactionsOf(destination)[0]?.wire.signature ?? ''),
      );
    });

    it('do not block sends that spend their change after a fork that drops them for good', async () => {
      const shop = await world.openShop();
      await fundWallet(shop, 1_000_000_000n);
      const [one, other] = [strangerAddress(), strangerAddress()];
      const first = await send(shop, one, 300_000_000n);
      world.node.advance(3);
      await confirmed(shop, first.id);
      world.node.dropNext(1_000);
      const second = await send(shop, other, 200_000_000n);
      world.node.fork({ depth: 3, drop: [first.txHash] });
      world.node.advance(EXPIRY);
      world.node.dropNext(0);
      const arrived = async (): Promise<bigint> => {
        world.till.clock.advance(10_000);
        // Bytes that were signed again while the node still dropped everything must expire as well.
        world.node.advance(1);
        return world.lamports(one) + world.lamports(other);
      };
      await eventually('both arrive', arrived, (lamports) => lamports === 500_000_000n, 120_000);
      world.node.advance(2);
      for (const { id } of [first, second]) expect((await confirmed(shop, id))['status']).toBe('confirmed');
      const rest = world.lamports(shop.wallets.SOL);
      await eventually(
        'the rest can be sent',
        async () => {
          world.node.advance(2);
          return balanceOf(shop);
        },
        (balance) => balance === rest,
      );
    });
  });

  it('cost their fee, fail and release the remaining funds when they are executed with an error', async () => {
    const shop = await world.openShop();
    const [deposit] = await earn(shop, 1);
    const destination = strangerAddress();
    world.payer.pay([{ address: destination, amount: 1_000_000n }]);
    world.node.advance(2);
    world.node.dropNext(1);
    const sent = await send(shop, destination, 500_000n);
    // The destination closes its account before the bytes land: too little arrives to open it again.
    world.node.ledger.put(destination, { ...world.node.ledger.machine.account(destination)!, lamports: 0n });
    world.node.landDropped();
    world.node.advance(SETTLED);
    await world.sink.waitForEvent('send.failed', sent.id);
    const fee = feeOf(sent.txHash);
    expect(world.node.ledger.transaction(sent.txHash)?.err).toHaveProperty('InsufficientFundsForRent');
    expect(world.lamports(deposit!)).toBe(500_000_000n - fee);
    expect(await balanceOf(shop)).toBe(500_000_000n - fee);
    expect(world.sink.types(sent.id)).not.toContain('send.confirmed');
  });
});
