import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import type { SendJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { balanceOf, EXPIRY, SvmWorld } from '../../_helpers/svm/world.ts';

const DEPOSIT = 500_000_000n;
const AMOUNT = 300_000_000n;
const BEHIND = {
  kind: 'error',
  code: -32002,
  message: 'Transaction simulation failed: Blockhash not found',
} as const;

describe('a SOL send whose blockhash expired', () => {
  let world: SvmWorld;
  let shop: Shop;
  let destination: string;
  let deposit: string;

  beforeAll(async () => {
    world = await SvmWorld.start();
  });
  afterAll(async () => world.end());

  beforeEach(async () => {
    shop = await world.openShop();
    destination = strangerAddress();
    [deposit = ''] = await world.earn(shop, 1, DEPOSIT);
  });

  async function send(): Promise<SendJson> {
    const amount = formatCoinAmount(AMOUNT, 'SOL');
    const { body } = await shop.send({ coin: 'SOL', destination, amount });
    if (!body.success) throw new Error(JSON.stringify(body));
    return body.data;
  }

  const status = async (id: string): Promise<Record<string, string>> =>
    shop.api.must('GET', `/merchant/wallet/send-status?sendId=${id}`, { token: shop.secretKey });

  /** Rounds of the daemon go by, its clock moved on, until something is so. */
  async function until(what: string, isSo: () => Promise<boolean> | boolean, stepMs = 1_000): Promise<void> {
    const look = async (): Promise<boolean> => {
      world.till.clock.advance(stepMs);
      return isSo();
    };
    await eventually(what, look, Boolean, 120_000);
  }

  async function arrives(sent: SendJson): Promise<void> {
    await until('it landed', () => world.lamports(destination) === AMOUNT);
    world.node.advance(2);
    await until('it is confirmed', async () => (await status(sent.id))['status'] === 'confirmed');
    expect(world.node.ledger.transactionsOf(destination)).toHaveLength(1);
    expect(world.sink.types(sent.id)).not.toContain('send.failed');
  }

  it('does not fail when the first backend to which it is broadcast does not know its blockhash yet', async () => {
    const behind = world.node.inject(BEHIND, { methods: ['sendTransaction'] });
    const stale = { context: { slot: world.node.ledger.top.slot }, value: false };
    const unknown = world.node.inject(
      { kind: 'rewrite', rewrite: () => stale },
      { methods: ['isBlockhashValid'] },
    );
    const sent = await send();
    expect(sent.status).toBe('signed');
    behind.clear();
    unknown.clear();
    await arrives(sent);
  });

  it('does not fail while the backend that returns new blockhashes lags behind the one that proved the expiry', async () => {
    world.node.dropNext(1);
    const sent = await send();
    const height = world.node.ledger.tip('finalized').height;
    const behind = world.node.inject(
      { kind: 'rewrite', rewrite: () => height },
      { methods: ['getBlockHeight'] },
    );
    world.node.advance(EXPIRY);
    await until('it was asked about', () => behind.hits > 1);
    expect((await status(sent.id))['status']).toBe('broadcast');
    behind.clear();
    await arrives(sent);
  });

  it('does not fail for ten minutes while the balance of its account differs from the ledger', async () => {
    const holds = (lamports: bigint): void => {
      world.node.ledger.put(deposit, { ...world.node.ledger.machine.account(deposit)!, lamports });
    };
    const asked = (): number => world.node.calls.filter((method) => method === 'isBlockhashValid').length;
    world.node.dropNext(1_000);
    const sent = await send();
    holds(DEPOSIT + 1n);
    world.node.advance(EXPIRY);
    const [before, since] = [asked(), world.till.clock.now()];
    // Beyond the patience with a history that does not come, and many rounds of the send.
    await until('its end is proven', () => asked() > before + 12 && world.till.clock.now() - since > 120_000);
    expect((await status(sent.id))['status']).toBe('broadcast');
    expect(await balanceOf(shop)).toBe(DEPOSIT - AMOUNT - parseCoinAmount(sent.fee, 'SOL'));
    world.node.dropNext(0);
    holds(DEPOSIT);
    world.node.advance(2);
    await arrives(sent);
  });

  it('does not fail when the node lacks the slots in which it may have been executed, and raises an alarm', async () => {
    const chain = async (): Promise<{ alarms: string[]; warnings: string[] } | undefined> => {
      const answer = await world.till.api.call<{
        chains: Record<string, { alarms: string[]; warnings: string[] }>;
      }>('GET', '/readyz');
      return answer.body.data.chains['SOL'];
    };
    world.node.dropNext(1);
    const sent = await send();
    const slot = world.node.ledger.top.slot;
    world.node.advance(EXPIRY);
    const first = world.node.inject(
      { kind: 'rewrite', rewrite: () => slot + 1 },
      { methods: ['getFirstAvailableBlock'] },
    );
    await until('it is told', async () => (await chain())?.alarms.includes('pruned') === true);
    expect((await chain())?.warnings.join()).toContain('keep their funds reserved');
    const hits = first.hits;
    await until('it is tried again', () => first.hits > hits + 5);
    expect((await status(sent.id))['status']).toBe('broadcast');
    expect(await balanceOf(shop)).toBe(DEPOSIT - AMOUNT - parseCoinAmount(sent.fee, 'SOL'));
    first.clear();
    await arrives(sent);
    await until('it is over', async () => (await chain())?.alarms.includes('pruned') === false);
  });

  it('fails after more than ten minutes when no other funds can pay for it', async () => {
    world.node.dropNext(1_000);
    const sent = await send();
    world.node.ledger.put(deposit, {
      ...world.node.ledger.machine.account(deposit)!,
      lamports: DEPOSIT + 1n,
    });
    world.node.advance(EXPIRY);
    world.till.clock.advance(10 * 60_000);
    await until('the send fails', async () => (await status(sent.id))['status'] === 'failed', 10_000);
    expect((await status(sent.id))['error']).toBe('it expired before it landed');
    world.node.dropNext(0);
  });
});
