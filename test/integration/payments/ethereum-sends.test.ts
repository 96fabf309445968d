import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { nonceGaps } from '../../../src/store/sends/nonce-sequences.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import { Shop, type SendJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { CONTRACTS, REVERTER_CODE } from '../../_helpers/anvil/contracts.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const HOUR_MS = 3_600_000;
const GWEI = 1_000_000_000n;
/** Confirmations of money in ETH here. */
const SETTLED = 3;

const wei = (text: string): bigint => parseCoinAmount(text, 'ETH');
const ether = (amount: bigint): string => formatCoinAmount(amount, 'ETH');

describe.skipIf(!requireAnvil())('ETH sends on a real node', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveWorld('ETH', {
      app: { sendPolicy: { ...DEFAULT_SEND_POLICY, retryMs: 500, rebroadcastMs: 1_000 } },
    });
    ({ node: anvil, sink, till, shop } = world);
  });

  afterAll(async () => world.end());

  const balance = async (): Promise<bigint> => wei(await shop.balance('ETH'));
  const balanceOf = async (amount: bigint): Promise<bigint> =>
    wei(
      await eventually(
        `the balance is ${ether(amount)}`,
        () => shop.balance('ETH'),
        (text) => wei(text) === amount,
      ),
    );
  const send = async (amount: bigint, destination: string, fields: object = {}) =>
    shop.send({ coin: 'ETH', amount: ether(amount), destination, ...fields });
  const sendStatus = async (id: string): Promise<SendJson & { error: string | null }> =>
    shop.api.must('GET', `/merchant/wallet/send-status?sendId=${id}`, { token: shop.secretKey });
  const ended = async (id: string, status = 'confirmed') =>
    eventually(
      `the send is ${status}`,
      () => sendStatus(id),
      (now) => now.status === status,
    );
  const fund = async (amount: bigint): Promise<void> => {
    const before = await balance();
    await anvil.pay({ address: shop.wallets.ETH, amount });
    await anvil.mine(1);
    await balanceOf(before + amount);
  };
  const offeredAgain = async (txid: string): Promise<unknown> =>
    eventually(
      'the node has it again',
      async () => {
        till.clock.advance(1_000);
        return anvil.rpc('eth_getTransactionByHash', [txid]);
      },
      (found) => found !== null,
    );
  const feePaid = async (txid: string): Promise<bigint> => {
    const receipt = await anvil.rpc<{ gasUsed: string; effectiveGasPrice: string }>(
      'eth_getTransactionReceipt',
      [txid],
    );
    return BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
  };

  it('sweep a settled deposit to the merchant address and leave exactly zero behind', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
    const { address, amount, requiredConfirmations } = payment.options.ETH;
    await anvil.pay({ address, amount: wei(amount) });
    await anvil.mine(1);
    await eventually(
      'the money is in a block',
      () => shop.payment(payment.id),
      (now) => now.options.ETH.confirmations === 1,
    );
    expect(await balance()).toBe(0n);
    const refused = await send(wei(amount) / 2n, await anvil.newAddress());
    expect(refused.body.error?.code).toBe('INSUFFICIENT_BALANCE');
    expect(refused.body.error?.message).toContain(`${amount} ETH more is on payment addresses`);
    await anvil.mine(requiredConfirmations - 1);
    await sink.waitForEvent('payment.completed', payment.id);
    const [sweep] = await eventually(
      'the sweep waits in the mempool',
      async () =>
        (
          await anvil.rpc<{ transactions: { hash: string; from: string }[] }>('eth_getBlockByNumber', [
            'pending',
            true,
          ])
        ).transactions,
      (transactions) => transactions.some(({ from }) => from === address.toLowerCase()),
    );
    await anvil.mine(1);
    const fee = await feePaid(sweep!.hash);
    await balanceOf(wei(amount) - fee);
    expect(await anvil.balance(address)).toBe(0n);
    expect(await anvil.balance(shop.wallets.ETH)).toBe(wei(amount) - fee);
    expect(await shop.payment(payment.id)).toMatchObject({ status: 'completed', exception: null });
    // The payer's money is income once; moving it is neither income nor a send.
    const { transactions } = await shop.api.must<{ transactions: { direction: string; amount: string }[] }>(
      'GET',
      '/merchant/wallet/transactions',
      { token: shop.secretKey },
    );
    expect(transactions).toMatchObject([{ direction: 'in', amount }]);
    expect(sink.deliveries.filter(({ body }) => body.type.startsWith('send.'))).toEqual([]);
  });

  it('do not sweep a deposit that is worth less than the fee', async () => {
    await fund(wei('1'));
    const before = await balance();
    const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
    const { address } = payment.options.ETH;
    await anvil.pay({ address, amount: 10n ** 14n });
    await anvil.mine(4);
    await sink.waitForEvent('payment.underpaid', payment.id);
    const worth = await shop.createPayment({ allowedCryptos: ['ETH'] });
    await anvil.pay({ address: worth.options.ETH.address, amount: wei(worth.options.ETH.amount) });
    await anvil.mine(4);
    await eventually(
      'the larger deposit is moved',
      async () => {
        await anvil.mine(1);
        return anvil.balance(worth.options.ETH.address);
      },
      (left) => left === 0n,
    );
    expect(await anvil.balance(address)).toBe(10n ** 14n);
    await eventually('it is there', balance, (now) => now > before);
  });

  it('pay exactly the amount, and fee and balance match the chain to the wei', async () => {
    const before = await balance();
    const destination = await anvil.newAddress();
    const { body } = await send(wei('0.1'), destination);
    expect(body.data).toMatchObject({ status: 'broadcast', amount: '0.1', destination });
    await balanceOf(before - wei('0.1') - wei(body.data.fee));
    await anvil.mine(1);
    await ended(body.data.id);
    expect(await anvil.balance(destination)).toBe(wei('0.1'));
    expect(await feePaid(body.data.txHash)).toBe(wei(body.data.fee));
    expect(await balance()).toBe(before - wei('0.1') - wei(body.data.fee));
    expect(await anvil.balance(shop.wallets.ETH)).toBe(await balance());
  });

  it('deduct the fee from the amount on request', async () => {
    const before = await balance();
    const destination = await anvil.newAddress();
    const { body } = await send(wei('0.1'), destination, { subtractFee: true });
    await anvil.mine(1);
    await ended(body.data.id);
    expect(await anvil.balance(destination)).toBe(wei('0.1') - wei(body.data.fee));
    expect(await balance()).toBe(before - wei('0.1'));
  });

  it('get separate nonces and are all paid when five are created at once', async () => {
    const before = await balance();
    const destinations = await Promise.all([1, 2, 3, 4, 5].map(async () => anvil.newAddress()));
    const answers = await Promise.all(destinations.map(async (to) => send(wei('0.02'), to)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await anvil.mine(1);
    for (const { body } of answers) await ended(body.data.id);
    for (const destination of destinations) expect(await anvil.balance(destination)).toBe(wei('0.02'));
    const spent = answers.reduce((sum, { body }) => sum + wei('0.02') + wei(body.data.fee), 0n);
    expect(await balance()).toBe(before - spent);
    expect(await anvil.balance(shop.wallets.ETH)).toBe(before - spent);
  });

  it('are accepted for only one of two concurrent requests when the balance covers only one', async () => {
    const amount = ((await balance()) * 2n) / 3n;
    const to = await anvil.newAddress();
    const answers = await Promise.all([send(amount, to), send(amount, to)]);
    const codes = answers.map(({ body }) => body.error?.code ?? 'sent').sort();
    expect(codes).toEqual(['INSUFFICIENT_BALANCE', 'sent']);
    await anvil.mine(1);
    await ended(answers.find(({ body }) => body.success)!.body.data.id);
    expect(await anvil.balance(to)).toBe(amount);
  });

  it('are created once for the same Idempotency-Key', async () => {
    const order = { coin: 'ETH', amount: '0.001', destination: await anvil.newAddress() };
    const [one, two] = [
      await shop.send(order, { 'idempotency-key': 'eth-once' }),
      await shop.send(order, { 'idempotency-key': 'eth-once' }),
    ];
    expect(two.body.data.txHash).toBe(one.body.data.txHash);
    await anvil.mine(1);
    await ended(one.body.data.id);
    expect(await anvil.balance(order.destination)).toBe(wei('0.001'));
  });

  it('cost at most the quoted fee for a destination with code, and show the fee that was paid', async () => {
    await fund(wei('1'));
    const before = await balance();
    // The payer contract does nothing without calldata: it keeps the money.
    const { body } = await send(wei('0.05'), CONTRACTS.payer);
    await anvil.mine(1);
    const done = await ended(body.data.id);
    const paid = await feePaid(body.data.txHash);
    expect(wei(done.fee)).toBe(paid);
    expect(paid).toBeLessThan(wei(body.data.fee));
    expect(await balance()).toBe(before - wei('0.05') - paid);
  });

  it('are refused before signing when the contract rejects the money', async () => {
    const before = await balance();
    const { status, body } = await send(wei('0.01'), CONTRACTS.reverter);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'VALIDATION_INVALID', details: [{ field: 'destination' }] });
    expect(await balance()).toBe(before);
  });

  it('fail and cost only the fee when the contract rejects the money once mined', async () => {
    const before = await balance();
    const destination = '0x000000000000000000000000000000000000b0b5';
    // Code that takes money when the send is estimated, and other code when it is mined.
    await anvil.rpc('anvil_setCode', [destination, '0x6001600155']);
    const { body } = await send(wei('0.05'), destination);
    await anvil.rpc('anvil_setCode', [destination, REVERTER_CODE]);
    await anvil.mine(SETTLED);
    const failed = await ended(body.data.id, 'failed');
    expect(failed.error).toContain('only the network fee was spent');
    const paid = await feePaid(body.data.txHash);
    expect(paid).toBeGreaterThan(0n);
    expect(wei(failed.fee)).toBe(paid);
    await balanceOf(before - paid);
    expect(await anvil.balance(shop.wallets.ETH)).toBe(before - paid);
    // Its nonce is used up: what is sent next waits for nothing, and nothing is there to be closed.
    const next = await send(wei('0.01'), await anvil.newAddress());
    const { db } = await openDatabase(join(till.dataDir, 'tilld.sqlite'));
    expect(await nonceGaps(db, { coin: 'ETH', mode: 'live' }, 20)).toEqual([]);
    await db.close();
    await anvil.mine(1);
    await ended(next.body.data.id);
  });

  it('do not fail on a revert while a reorg may still change the outcome', async () => {
    await fund(wei('1'));
    const before = await balance();
    const destination = '0x000000000000000000000000000000000000b0b6';
    await anvil.rpc('anvil_setCode', [destination, '0x6001600155']);
    const { body } = await send(wei('0.05'), destination);
    const { id, txHash } = body.data;
    await anvil.rpc('anvil_setCode', [destination, REVERTER_CODE]);
    await anvil.mine(SETTLED - 1);
    const paid = await feePaid(txHash);
    // The fee is spent, the amount stays: it must not be sent again.
    await balanceOf(before - paid - wei('0.05'));
    // The daemon goes round: another send that the node forgot is offered again.
    const marker = (await send(wei('0.01'), await anvil.newAddress())).body.data;
    await anvil.rpc('anvil_dropTransaction', [marker.txHash]);
    await offeredAgain(marker.txHash);
    const waiting = await sendStatus(id);
    expect(waiting).toMatchObject({ status: 'broadcast', confirmations: 0, error: null, txHash });
    await anvil.reorg(SETTLED - 1);
    await anvil.rpc('anvil_setCode', [destination, '0x6001600155']);
    await eventually(
      'it pays after all',
      async () => {
        till.clock.advance(1_000);
        await anvil.mine(1);
        return sendStatus(id);
      },
      ({ status }) => status === 'confirmed',
    );
    expect(await anvil.balance(destination)).toBe(wei('0.05'));
    await anvil.mine(SETTLED);
    await sink.waitForEvent('send.confirmed', id);
    await ended(marker.id);
    expect(sink.types(id)).toEqual(['send.broadcast', 'send.confirmed']);
  });

  it('are rebroadcast when a reorg removes their block', async () => {
    const destination = await anvil.newAddress();
    const { body } = await send(wei('0.01'), destination);
    await anvil.mine(1);
    await ended(body.data.id);
    await anvil.reorg(1);
    await ended(body.data.id, 'broadcast');
    till.clock.advance(1_000);
    await eventually(
      'the node has it again',
      () => anvil.rpc('eth_getTransactionByHash', [body.data.txHash]),
      (found) => found !== null,
    );
    await anvil.mine(1);
    await ended(body.data.id);
    expect(await anvil.balance(destination)).toBe(wei('0.01'));
    expect(await anvil.balance(shop.wallets.ETH)).toBe(await balance());
  });

  it('are replaced with a fee that nodes accept when stuck, and pay once', async () => {
    const before = await balance();
    const destination = await anvil.newAddress();
    const { body } = await send(wei('0.01'), destination);
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(30n * GWEI).toString(16)}`]);
    await anvil.mine(1);
    till.clock.advance(2 * HOUR_MS);
    const raised = await eventually(
      'the fee is raised',
      () => sendStatus(body.data.id),
      (now) => now.txHash !== body.data.txHash,
    );
    expect(wei(raised.fee) * 8n).toBeGreaterThanOrEqual(wei(body.data.fee) * 9n);
    await eventually(
      'it is mined',
      async () => {
        await anvil.mine(1);
        return sendStatus(body.data.id);
      },
      (now) => now.status === 'confirmed',
    );
    expect(await anvil.balance(destination)).toBe(wei('0.01'));
    expect(await balance()).toBe(before - wei('0.01') - wei((await sendStatus(body.data.id)).fee));
  });
});
