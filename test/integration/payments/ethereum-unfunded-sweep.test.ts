import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import type { Shop } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { Till } from '../../_helpers/till.ts';

const HOUR_MS = 3_600_000;
/** anvil calls the head less twice this finalized. */
const SLOTS = 6;

const wei = (text: string): bigint => parseCoinAmount(text, 'ETH');

interface SweepRow {
  readonly id: string;
  readonly status: string;
  readonly txid: string | null;
  readonly nonce: number | null;
  readonly error: string | null;
  readonly displacedHeight: number | null;
}

/** A deposit whose sweep is broadcast when a reorganisation replaces the payer's transaction. */
interface Lost {
  readonly address: string;
  readonly amount: bigint;
  readonly sweep: SweepRow;
  readonly raw: string;
}

describe.skipIf(!requireAnvil())('an ETH sweep whose deposit was removed by a reorg', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let till: Till;
  let shop: Shop;
  let store: OpenDatabase;

  beforeAll(async () => {
    world = await openLiveWorld('ETH', {
      app: {
        sendPolicy: { ...DEFAULT_SEND_POLICY, retryMs: 500, retryMaxMs: 1_000, rebroadcastMs: 1_000 },
      },
      node: async () => Anvil.start({ slotsInAnEpoch: SLOTS }),
    });
    ({ node: anvil, till, shop } = world);
    store = await openDatabase(join(till.dataDir, 'tilld.sqlite'));
  });
  afterAll(async () => {
    await store.close();
    await world.end();
  });

  const sweepsFrom = async (address: string): Promise<SweepRow[]> =>
    store.db
      .selectFrom('sends')
      .select(['id', 'status', 'txid', 'nonce', 'error', 'displacedHeight'])
      .where('lane', '=', address)
      .orderBy('createdAt')
      .execute();
  /** Advances the clock, so that what is due is retried, until the sweeps from an address are as expected. */
  const sweepsUntil = async (what: string, address: string, isSo: (rows: SweepRow[]) => boolean) =>
    eventually(
      what,
      async () => {
        till.clock.advance(1_000);
        return sweepsFrom(address);
      },
      isSo,
    );
  const rawOf = async (id: string): Promise<string> => {
    const version = await store.db
      .selectFrom('send_versions')
      .select('raw')
      .where('sendId', '=', id)
      .executeTakeFirstOrThrow();
    return version.raw;
  };

  const loseDeposit = async (): Promise<Lost> => {
    const payment = await shop.createPayment({ amount: '100', currency: 'USD', allowedCryptos: ['ETH'] });
    const { address, amount: due, requiredConfirmations } = payment.options.ETH;
    const amount = wei(due);
    const txid = await anvil.pay({ address, amount });
    await anvil.mine(requiredConfirmations);
    const [sweep] = await sweepsUntil('it is swept', address, ([first]) => first?.status === 'broadcast');
    const raw = await rawOf(sweep!.id);
    await anvil.drop(sweep!.txid!);
    await anvil.reorg(requiredConfirmations, { doubleSpend: txid });
    expect(await anvil.balance(address)).toBe(0n);
    await sweepsUntil('the sweep is unfunded', address, ([row]) => row?.displacedHeight !== null);
    return { address, amount, sweep: sweep!, raw };
  };
  const untilFailed = async ({ address }: Lost): Promise<void> => {
    await anvil.mine(2 * SLOTS);
    await sweepsUntil('the sweep fails', address, ([row]) => row?.status === 'failed');
  };

  it('fails once the missing balance is finalized, and a smaller deposit is swept with the same nonce', async () => {
    const lost = await loseDeposit();
    const { address, amount } = lost;
    // A retry whose block is not final yet decides nothing.
    await anvil.mine(1);
    const [before] = await sweepsFrom(address);
    expect(before).toMatchObject({ status: 'broadcast', error: null });
    await untilFailed(lost);
    expect(wei(await shop.balance('ETH'))).toBe(0n);
    const less = amount / 2n;
    await anvil.pay({ address, amount: less });
    await anvil.mine(6);
    till.clock.advance(HOUR_MS);
    const [, again] = await sweepsUntil('it is swept', address, ([, next]) => next?.status === 'broadcast');
    expect(again!.nonce).toBe(before!.nonce);
    await anvil.mine(1);
    await sweepsUntil('the new sweep is mined', address, ([, next]) => next?.status === 'confirmed');
    expect((await sweepsFrom(address)).map(({ status }) => status)).toEqual(['failed', 'confirmed']);
    expect(await anvil.balance(address)).toBe(0n);
    expect(wei(await shop.balance('ETH'))).toBe(await anvil.balance(shop.wallets.ETH));
  });

  it('is confirmed, and nothing is swept twice, when a block contains it instead of the next sweep', async () => {
    const lost = await loseDeposit();
    const { address, amount, sweep, raw } = lost;
    await untilFailed(lost);
    // The old sweep leaves a tenth behind.
    const more = amount + amount / 10n;
    await anvil.pay({ address, amount: more });
    await anvil.mine(6);
    till.clock.advance(HOUR_MS);
    const [, next] = await sweepsUntil(
      'it is swept',
      address,
      ([, second]) => second?.status === 'broadcast',
    );
    expect(next!.nonce).toBe(sweep.nonce);
    await anvil.drop(next!.txid!);
    await anvil.rpc('eth_sendRawTransaction', [raw]);
    await anvil.mine(1);
    await sweepsUntil('the old sweep is mined', address, ([first]) => first?.status === 'confirmed');
    await anvil.mine(2 * SLOTS);
    await sweepsUntil('its nonce is used', address, ([, second]) => second?.displacedHeight !== null);
    await anvil.mine(DEFAULT_SEND_POLICY.surplusDepth);
    await sweepsUntil('the next sweep fails', address, ([, second]) => second?.status === 'failed');
    expect((await sweepsFrom(address))[0]).toMatchObject({ id: sweep.id, status: 'confirmed', error: null });
    till.clock.advance(HOUR_MS);
    await sweepsUntil('the remainder is swept', address, ([, , third]) => third?.status === 'broadcast');
    await anvil.mine(1);
    await sweepsUntil('that sweep is mined', address, ([, , third]) => third?.status === 'confirmed');
    expect(await anvil.balance(address)).toBe(0n);
    expect(await sweepsFrom(address)).toHaveLength(3);
    await eventually(
      'the balance is that of the chain',
      async () => wei(await shop.balance('ETH')) - (await anvil.balance(shop.wallets.ETH)),
      (difference) => difference === 0n,
    );
  });
});
