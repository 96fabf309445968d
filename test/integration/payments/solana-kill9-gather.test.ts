import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer } from '../../_helpers/svm/payer.ts';
import { liveEnv, TillProcess } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const DEPOSIT = 500_000_000n;
/** Eight deposits and the merchant's own account fit into one send. */
const [STAYING, GATHERED] = [8, 4];

describe('kill -9 while deposits are gathered at the merchant address', () => {
  let node: SvmNode;
  let till: TillProcess;
  let sink: WebhookSink;
  let payer: Payer;

  beforeAll(async () => {
    node = await SvmNode.start();
    payer = new Payer(node);
    sink = await WebhookSink.start();
    till = await TillProcess.start(liveEnv({ SOL: node.url }));
    await till.ready();
  });

  afterAll(async () => {
    await till.end();
    await Promise.all([sink.close(), node.stop()]);
  });

  const lamports = (address: string): bigint => node.ledger.machine.lamports(address);

  /** Completed payments. Answers their addresses. */
  async function earn(shop: Shop, count: number): Promise<string[]> {
    const outputs = [];
    for (let made = 0; made < count; made += 1) {
      const { id, options } = await shop.createPayment({ allowedCryptos: ['SOL'] });
      outputs.push({ id, address: options['SOL'].address, amount: DEPOSIT });
    }
    for (let at = 0; at < outputs.length; at += 10) payer.pay(outputs.slice(at, at + 10));
    node.advance(33);
    for (const { id } of outputs) await sink.waitForEvent('payment.completed', id);
    return outputs.map(({ address }) => address);
  }

  it.each([
    ['signed and stored, before the node had it', { kind: 'cut' } as const, 0n],
    ['taken by the node, before that was recorded', { kind: 'cut', after: true } as const, 1n],
  ])('%s: each deposit arrives once and the balances add up', async (_when, fault, landed) => {
    const shop = await Shop.open(till.api, { webhookUrl: sink.url });
    const wallet = shop.wallets.SOL;
    const offered = node.inject(fault, { methods: ['sendTransaction'] });
    const deposits = await earn(shop, STAYING + GATHERED);
    await eventually(
      'the node is offered the gathering',
      () => offered.hits,
      (hits) => hits > 0,
      30_000,
    );
    await till.kill9();
    offered.clear();
    expect(node.ledger.transactionsOf(wallet)).toHaveLength(Number(landed));
    await till.up();
    await till.ready();
    await eventually(
      'it landed',
      () => node.ledger.transactionsOf(wallet).length,
      (count) => count > 0,
      30_000,
    );
    node.advance(34);
    const [gathering] = node.ledger.transactionsOf(wallet);
    const total = DEPOSIT * BigInt(deposits.length) - (gathering?.fee ?? 0n);
    await eventually(
      'all of it can be spent',
      () => shop.balance('SOL'),
      (now) => parseCoinAmount(now, 'SOL') === total,
      30_000,
    );
    expect(deposits.filter((address) => lamports(address) === 0n)).toHaveLength(GATHERED);
    expect(deposits.filter((address) => lamports(address) === DEPOSIT)).toHaveLength(STAYING);
    expect(lamports(wallet)).toBe(total - DEPOSIT * BigInt(STAYING));
    expect(node.ledger.transactionsOf(wallet).filter(({ err }) => err === null)).toHaveLength(1);
  });
});
