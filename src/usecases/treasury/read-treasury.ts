import { addDays, Calendar } from '../../domain/calendar.ts';
import { COINS, type Coin, type Mode } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import { formatFiat } from '../../domain/fiat.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  type DayFlow,
  type HeldMoney,
  sumDayFlows,
  sumForwarded,
  sumHeldMoney,
  sumOpenSends,
} from '../../store/ledger/treasury-sums.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { findLimits } from '../../store/sends/wallet-limits.ts';
import { limitsAt } from '../../domain/send/limit-change.ts';
import { merchantMode } from '../access/index.ts';
import { fiatMinor } from '../accounting/index.ts';
import { type ForwardDeps, sumPromised } from '../forwards/index.ts';
import { quoteOrNull } from '../rates/index.ts';
import { type DayLimitView, type KeyLimitView, readDayLimits } from './day-limits.ts';

export type TreasuryDeps = Pick<ForwardDeps, 'db' | 'clock' | 'rates' | 'confirmations' | 'policy'>;

/** Days of money in and out, today included. */
const TREASURY_DAYS = 30;
const DAY_MS = 86_400_000;

/** An amount of a coin with its value now. */
export interface ValuedAmount {
  readonly amount: string;
  /** Null while no exchange rate is known. */
  readonly fiatAmount: string | null;
}

interface HeldView {
  readonly confirmed: ValuedAmount;
  readonly unconfirmed: ValuedAmount;
}

export interface TreasuryCoin {
  readonly coin: Coin;
  readonly hot: HeldView;
  readonly watched: HeldView;
  /** Null while the amount of an open refund link is unknown. */
  readonly promised: ValuedAmount | null;
  readonly forwarded: { readonly total: ValuedAmount; readonly last30Days: ValuedAmount };
}

export interface TreasuryDay {
  readonly date: string;
  readonly fiatIn: string | null;
  readonly fiatOut: string | null;
  readonly coins: { readonly coin: Coin; readonly in: string; readonly out: string }[];
}

export interface Treasury {
  readonly mode: Mode;
  readonly currency: string;
  readonly timeZone: string;
  readonly coins: TreasuryCoin[];
  readonly today: DayLimitView & { readonly date: string; readonly keys: KeyLimitView[] };
  readonly days: TreasuryDay[];
}

/** Minor units of atoms at the rate of now; null: unknown. */
type Valuation = (atoms: bigint, coin: Coin) => bigint | null;

/** What a shop holds, promises and has moved; each sum is computed by SQL on the read thread. */
export async function readTreasury(
  deps: TreasuryDeps,
  { merchant, mode: wanted }: { readonly merchant: MerchantRow; readonly mode?: Mode | undefined },
): Promise<Treasury> {
  const { db, clock } = deps;
  const now = clock.now();
  const mode = merchantMode(merchant, wanted);
  const { limits } = limitsAt(await findLimits(db, merchant.id), now);
  const currency = limits.perDay?.currency ?? limits.perSend?.currency ?? merchant.currency;
  await tryEnsure(deps, currency);
  const value: Valuation = (atoms, coin) =>
    atoms === 0n
      ? 0n
      : fiatMinor(atoms, coin, { currency, rate: quoteOrNull(deps, { currency, mode }, coin)?.rate ?? null });
  const money = (atoms: bigint, coin: Coin): ValuedAmount => {
    const minor = value(atoms, coin);
    return {
      amount: formatCoinAmount(atoms, coin),
      fiatAmount: minor === null ? null : formatFiat({ minor, currency }),
    };
  };
  const calendar = new Calendar(merchant.timeZone ?? 'UTC');
  const shop = { merchantId: merchant.id, mode };
  const coins: TreasuryCoin[] = [];
  for (const coin of COINS) coins.push(await readCoin(deps, { ...shop, coin }, { money, now }));
  return {
    mode,
    currency,
    timeZone: calendar.timeZone,
    coins,
    today: { date: calendar.dayAt(now), ...(await readDayLimits(deps, { merchant, mode, currency, now })) },
    days: await readDays(db.readThread, { ...shop, calendar, now }, { value, currency }),
  };
}

/** A rate that is missing leaves values out, and hides no amount. */
async function tryEnsure({ rates }: Pick<TreasuryDeps, 'rates'>, currency: string): Promise<void> {
  try {
    await rates.ensure(currency);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'RATE_UNAVAILABLE') throw error;
  }
}

interface CoinTerms {
  readonly money: (atoms: bigint, coin: Coin) => ValuedAmount;
  readonly now: number;
}

async function readCoin(
  deps: TreasuryDeps,
  wallet: { readonly merchantId: string; readonly mode: Mode; readonly coin: Coin },
  { money, now }: CoinTerms,
): Promise<TreasuryCoin> {
  const { coin } = wallet;
  const reader = deps.db.readThread;
  const { hot, watched } = await sumHeldMoney(reader, wallet);
  const promised = await findPromised(deps, wallet);
  const view = ({ confirmed, unconfirmed }: HeldMoney): HeldView => ({
    confirmed: money(confirmed, coin),
    unconfirmed: money(unconfirmed, coin),
  });
  return {
    coin,
    hot: view(hot),
    watched: view(watched),
    promised: promised === null ? null : money(promised, coin),
    forwarded: {
      total: money(await sumForwarded(reader, wallet, 0), coin),
      last30Days: money(await sumForwarded(reader, wallet, now - TREASURY_DAYS * DAY_MS), coin),
    },
  };
}

async function findPromised(
  deps: TreasuryDeps,
  wallet: { readonly merchantId: string; readonly mode: Mode; readonly coin: Coin },
): Promise<bigint | null> {
  try {
    return (await sumPromised(deps.db, deps, wallet)) + (await sumOpenSends(deps.db.readThread, wallet));
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_UNAVAILABLE') return null;
    throw error;
  }
}

async function readDays(
  reader: Db,
  shop: {
    readonly merchantId: string;
    readonly mode: Mode;
    readonly calendar: Calendar;
    readonly now: number;
  },
  { value, currency }: { readonly value: Valuation; readonly currency: string },
): Promise<TreasuryDay[]> {
  const { merchantId, mode, calendar, now } = shop;
  const first = addDays(calendar.dayAt(now), 1 - TREASURY_DAYS);
  const dates = Array.from({ length: TREASURY_DAYS }, (_, index) => addDays(first, index));
  const bounds = [...dates, addDays(first, TREASURY_DAYS)].map((date) => calendar.startOf(date));
  const flows = await sumDayFlows(reader, { merchantId, mode, bounds });
  return dates.map((date, day) =>
    viewDay(
      date,
      flows.filter((flow) => flow.day === day),
      { value, currency },
    ),
  );
}

function viewDay(
  date: string,
  flows: readonly DayFlow[],
  { value, currency }: { readonly value: Valuation; readonly currency: string },
): TreasuryDay {
  const sumSide = (coin: Coin, side: DayFlow['flow']): bigint =>
    flows.find((one) => one.coin === coin && one.flow === side)?.amount ?? 0n;
  const fiat = (side: DayFlow['flow']): string | null => {
    let sum = 0n;
    for (const coin of COINS) {
      const minor = value(sumSide(coin, side), coin);
      if (minor === null) return null;
      sum += minor;
    }
    return formatFiat({ minor: sum, currency });
  };
  const moved = COINS.filter((coin) => flows.some((flow) => flow.coin === coin));
  return {
    date,
    fiatIn: fiat('in'),
    fiatOut: fiat('out'),
    coins: moved.map((coin) => ({
      coin,
      in: formatCoinAmount(sumSide(coin, 'in'), coin),
      out: formatCoinAmount(sumSide(coin, 'out'), coin),
    })),
  };
}
