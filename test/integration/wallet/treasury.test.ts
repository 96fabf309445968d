/** The treasury over HTTP: what a shop holds and where, and what its limits leave. */
import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COINS, type Coin } from '../../../src/domain/coins.ts';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type SendJson } from '../../_helpers/api-client.ts';
import { newPerson, signedIn, type Person } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

interface Valued {
  readonly amount: string;
  readonly fiatAmount: string | null;
}
interface TreasuryJson {
  readonly mode: string;
  readonly currency: string;
  readonly timeZone: string;
  readonly coins: {
    readonly coin: Coin;
    readonly hot: { readonly confirmed: Valued; readonly unconfirmed: Valued };
    readonly watched: { readonly confirmed: Valued; readonly unconfirmed: Valued };
    readonly promised: Valued | null;
    readonly forwarded: { readonly total: Valued; readonly last30Days: Valued };
  }[];
  readonly today: {
    readonly date: string;
    readonly spent: string | null;
    readonly limit: string | null;
    readonly currency: string;
    readonly keys: { name: string; spent: string | null; limit: string | null }[];
  };
  readonly days: {
    date: string;
    fiatIn: string | null;
    fiatOut: string | null;
    coins: { coin: Coin; in: string; out: string }[];
  }[];
}

const STRANGER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';

let till: Till;
let shop: Shop;
let owner: Person;

beforeAll(async () => {
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '100ms' });
  await till.ready();
  const person = await newPerson(till.api, 'treasurer');
  shop = await Shop.open(till.api, { owner: person.token });
  owner = await signedIn(till.api, person.email);
});
afterAll(async () => till.end());

const treasury = async (at = shop) =>
  till.api.must<TreasuryJson>('GET', '/merchant/wallet/treasury', { token: at.secretKey });
const coinOf = (all: TreasuryJson, coin: Coin) => {
  const found = all.coins.find((one) => one.coin === coin);
  if (found === undefined) throw new Error(`no ${coin}`);
  return found;
};
async function earn(coin: Coin, at = shop): Promise<string> {
  const { id, options } = await at.createPayment();
  const body = { paymentId: id, scenario: 'exact', coin };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: at.secretKey, body });
  await eventually(
    `${coin} was received`,
    async () => at.payment(id),
    ({ status }) => status === 'completed',
  );
  return options[coin].amount;
}

async function listActions(about: string): Promise<string[]> {
  const path = `/merchant/audit?merchantId=${shop.merchantId}${about}`;
  const { body } = await owner.session.call<{ entries: { action: string }[] }>('GET', path);
  return body.data.entries.map(({ action }) => action);
}

describe('GET /merchant/wallet/treasury', () => {
  it('answers zero amounts, no limit and thirty days for a new shop', async () => {
    const all = await treasury();
    expect(all.coins.map(({ coin }) => coin)).toEqual([...COINS]);
    const none = { amount: '0', fiatAmount: '0' };
    expect(coinOf(all, 'BTC')).toEqual({
      coin: 'BTC',
      hot: { confirmed: none, unconfirmed: none },
      watched: { confirmed: none, unconfirmed: none },
      promised: none,
      forwarded: { total: none, last30Days: none },
    });
    expect(all.today).toMatchObject({ spent: '0', limit: null, currency: all.currency, keys: [] });
    expect(all.days).toHaveLength(30);
    expect(all.days.at(-1)).toEqual({ date: all.today.date, fiatIn: '0', fiatOut: '0', coins: [] });
  });

  it('adds up received money of every coin exactly, and values it at the rate of now', async () => {
    for (const coin of COINS) {
      const earned = await earn(coin);
      const all = await treasury();
      const { hot, promised } = coinOf(all, coin);
      expect([coin, hot.confirmed.amount, promised?.amount]).toEqual([coin, earned, '0']);
      expect(Number(hot.confirmed.fiatAmount)).toBeGreaterThan(50);
      expect(all.days.at(-1)?.coins.find((one) => one.coin === coin)).toEqual({ coin, in: earned, out: '0' });
    }
  });

  it('counts a send as spent today, against the limits of the shop and of its key, and its fee as money out', async () => {
    const { merchantId } = shop;
    await owner.session.call('PATCH', '/merchant/wallet/limits', {
      merchantId,
      currency: 'EUR',
      perDay: '500',
    });
    const limited = await till.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
      token: shop.token,
      body: { merchantId, name: 'Robot', scopes: ['wallet:send'], limits: { perDay: '80', currency: 'EUR' } },
    });
    const before = coinOf(await treasury(), 'LTC').hot.confirmed.amount;
    const sent = await till.api.must<SendJson>('POST', '/merchant/wallet/send', {
      token: limited.key.value,
      body: { coin: 'LTC', destination: STRANGER, amount: '0.25' },
    });
    const all = await eventually(
      'the send is in a block',
      async () => treasury(),
      // The coins are read before the days.
      (now) =>
        coinOf(now, 'LTC').promised?.amount === '0' &&
        now.days.at(-1)?.coins.some((one) => one.coin === 'LTC' && one.out !== '0') === true,
    );
    const left = parseCoinAmount('0.25', 'LTC') + parseCoinAmount(sent.fee, 'LTC');
    const { hot, promised } = coinOf(all, 'LTC');
    expect(hot.confirmed.amount).toBe(formatCoinAmount(parseCoinAmount(before, 'LTC') - left, 'LTC'));
    expect([hot.unconfirmed.amount, promised?.amount]).toEqual(['0', '0']);
    expect(all.days.at(-1)?.coins.find(({ coin }) => coin === 'LTC')?.out).toBe(
      formatCoinAmount(left, 'LTC'),
    );
    expect(all.currency).toBe('EUR');
    expect(all.today).toMatchObject({ limit: '500', currency: 'EUR' });
    expect(Number(all.today.spent)).toBeGreaterThan(1);
    expect(all.today.keys).toMatchObject([{ name: 'Robot', limit: '80', spent: all.today.spent }]);
  });

  it('shows what a refund link promises', async () => {
    const { id, options } = await shop.createPayment();
    const pay = { paymentId: id, scenario: 'exact', coin: 'BTC' };
    await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body: pay });
    await eventually(
      'it completed',
      async () => shop.payment(id),
      ({ status }) => status === 'completed',
    );
    await till.api.must('POST', '/payment/refund-link', {
      token: shop.secretKey,
      body: { paymentId: id, preset: 'all', deductFee: true },
    });
    expect(coinOf(await treasury(), 'BTC').promised?.amount).toBe(options.BTC.amount);
  });

  it('shows money on a watched account apart from the own account', async () => {
    const other = await Shop.open(till.api, { owner: shop.token });
    const { merchantId } = other;
    const versions = { private: 0x04_35_83_94, public: 0x04_35_87_cf };
    const xpub = HDKey.fromMasterSeed(randomBytes(32), versions).derive("m/84'/1'/0'").publicExtendedKey;
    const proposed = await owner.session.call<{ id: string }>('POST', '/merchant/wallet/watch', {
      merchantId,
      coin: 'BTC',
      xpub,
    });
    expect(proposed.body.error).toBeNull();
    const { id } = proposed.body.data;
    const confirmed = await owner.session.call('POST', '/merchant/wallet/watch/confirm', { merchantId, id });
    expect(confirmed.body.error).toBeNull();
    const watched = await earn('BTC', other);
    const { hot, watched: elsewhere } = coinOf(await treasury(other), 'BTC');
    expect([hot.confirmed.amount, elsewhere.confirmed.amount]).toEqual(['0', watched]);
  });
});

describe('GET /merchant/audit', () => {
  it('lists entries about money only with about=money', async () => {
    const everything = await listActions('');
    expect(everything).toContain('POST /merchant/keys/create');
    const money = await listActions('&about=money');
    expect(money).toEqual(
      everything.filter((action) => /\/merchant\/wallet\/|\/payment\/refund/u.test(action)),
    );
    expect(money).toContain('PATCH /merchant/wallet/limits');
    expect(money).toContain('POST /payment/refund-link');
  });
});
