import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type SendJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { InjectedFault } from '../../_helpers/svm/faults.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

/** Blocks after which nothing signed before can land any more, seen from the finalized block as well. */
const EXPIRY = 200;
const DEPOSIT = 500_000_000n;

describe('a lamport that reaches a deposit address unnoticed', () => {
  let node: SvmNode;
  let till: Till;
  let sink: WebhookSink;
  let payer: Payer;
  let shop: Shop;

  beforeAll(async () => {
    node = await SvmNode.start();
    payer = new Payer(node);
    sink = await WebhookSink.start();
    till = await Till.start(liveEnv({ SOL: node.url }));
    await till.ready();
  });

  afterAll(async () => {
    await till.end();
    await Promise.all([sink.close(), node.stop()]);
  });

  beforeEach(async () => {
    shop = await Shop.open(till.api, { webhookUrl: sink.url });
  });

  const lamports = (address: string): bigint => node.ledger.machine.lamports(address);
  const balance = async (): Promise<bigint> => parseCoinAmount(await shop.balance('SOL'), 'SOL');

  /** Completed payments of half a SOL each. Answers their addresses, the one that a send draws on first before the others. */
  async function earn(count: number): Promise<string[]> {
    const outputs = [];
    for (let made = 0; made < count; made += 1) {
      const { id, options } = await shop.createPayment({ allowedCryptos: ['SOL'] });
      outputs.push({ id, address: options['SOL'].address, amount: DEPOSIT });
    }
    payer.pay(outputs);
    node.advance(33);
    for (const { id } of outputs) await sink.waitForEvent('payment.completed', id);
    return outputs.map(({ address }) => address).toSorted();
  }

  /** The daemon reads no history any more, so what comes in meanwhile stays unnoticed. */
  const blindfold = (): InjectedFault =>
    node.inject({ kind: 'status', status: 503 }, { methods: ['getSignaturesForAddress'] });

  function dust(address: string): void {
    payer.pay([{ address, amount: 1n }]);
    node.advance(2);
  }

  async function send(destination: string, amount: bigint): Promise<SendJson> {
    const order = { coin: 'SOL', destination, amount: formatCoinAmount(amount, 'SOL') };
    const { body } = await shop.send(order);
    if (!body.success) throw new Error(JSON.stringify(body));
    return body.data;
  }

  async function ended(id: string, status: string): Promise<Record<string, string>> {
    return eventually(
      `the send is ${status}`,
      () =>
        shop.api.must<Record<string, string>>('GET', `/merchant/wallet/send-status?sendId=${id}`, {
          token: shop.secretKey,
        }),
      (told) => told['status'] === status,
      20_000,
    );
  }

  const feeOf = (txid: string): bigint => node.ledger.transaction(txid)?.fee ?? -1n;

  it('right before a send: it draws on the others, and later on all of them', async () => {
    const [dusted, ...others] = await earn(3);
    const blind = blindfold();
    dust(dusted!);
    const destination = strangerAddress();
    const refused = await shop.send({ coin: 'SOL', destination, amount: '1.2' });
    expect(refused.body.error).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    const sent = await send(destination, 700_000_000n);
    node.advance(2);
    blind.clear();
    await ended(sent.id, 'confirmed');
    expect(lamports(dusted!)).toBe(DEPOSIT + 1n);
    expect(others.map(lamports)).toEqual([0n, 0n]);
    const rest = DEPOSIT + 300_000_001n - feeOf(sent.txHash);
    await eventually('it is noticed', balance, (now) => now === rest);
    const next = await send(destination, 600_000_000n);
    node.advance(2);
    await ended(next.id, 'confirmed');
    expect(lamports(dusted!)).toBe(0n);
    expect(lamports(destination)).toBe(1_300_000_000n);
  });

  it('between signing and landing: only the fee is lost, it is told as failed, and the next send works', async () => {
    const [dusted] = await earn(1);
    const destination = strangerAddress();
    node.dropNext(1);
    const failing = await send(destination, 300_000_000n);
    dust(dusted!);
    node.landDropped();
    node.advance(2);
    await sink.waitForEvent('send.failed', failing.id);
    const fee = feeOf(failing.txHash);
    expect(node.ledger.transaction(failing.txHash)?.err).toHaveProperty('InsufficientFundsForRent');
    const status = await ended(failing.id, 'failed');
    expect(status['error']).toMatch(/only the network fee was spent/);
    const rest = DEPOSIT + 1n - fee;
    await eventually('the rest is free', balance, (now) => now === rest);
    const next = await send(destination, 300_000_000n);
    node.advance(2);
    await ended(next.id, 'confirmed');
    expect(lamports(destination)).toBe(300_000_000n);
    expect(await balance()).toBe(rest - 300_000_000n - feeOf(next.txHash));
  });

  it('while a send gets lost: signed anew, it draws on another deposit and arrives once', async () => {
    const [dusted, other] = await earn(2);
    const destination = strangerAddress();
    node.dropNext(1);
    const sent = await send(destination, 300_000_000n);
    const drawn = node.dropped[0]?.staticKeys[0];
    const idle = drawn === dusted ? other : dusted;
    // No transaction brought it, so the ledger will never know it.
    node.ledger.put(drawn!, { ...node.ledger.machine.account(drawn!)!, lamports: DEPOSIT + 1n });
    node.advance(EXPIRY);
    await eventually(
      'it landed',
      () => {
        // Until the daemon no longer waits for a history of what no transaction brought.
        till.clock.advance(1_000);
        return String(lamports(destination));
      },
      (now) => now === '300000000',
      30_000,
    );
    node.advance(2);
    const status = await ended(sent.id, 'confirmed');
    expect(status['txHash']).not.toBe(sent.txHash);
    expect(status['fee']).toBe(formatCoinAmount(feeOf(status['txHash'] ?? ''), 'SOL'));
    expect([lamports(drawn!), lamports(idle!)]).toEqual([DEPOSIT + 1n, 0n]);
    expect(node.ledger.transactionsOf(destination)).toHaveLength(1);
    expect(sink.types(sent.id)).not.toContain('send.failed');
    const rest = DEPOSIT + 200_000_000n - feeOf(status['txHash'] ?? '');
    await eventually('the first deposit is free again', balance, (now) => now === rest);
  });
});
