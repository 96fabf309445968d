import { CHAIN_ALARMS } from '../domain/chain.ts';
import type { Coin } from '../domain/coins.ts';
import { formatCoinAmount } from '../domain/money.ts';
import { allSkippedBlocks } from '../store/chain/skipped-blocks.ts';
import { newestBlockTimes } from '../store/operations/counts.ts';
import {
  readReconciliations,
  readUnreconciled,
  type StoredReconciliation,
} from '../store/chain/reconciliations.ts';
import type { Family, MeasuredChain, Sample, StateMetricsDeps } from './metric-family.ts';

/** Progress of each chain, and problems of its node. */
export function chainFamilies({ db, clock, chains }: StateMetricsDeps): Family[] {
  const labels = ['coin', 'mode'];
  const perChain = (name: string, help: string, value: (chain: MeasuredChain) => number | null): Family => ({
    name,
    help,
    labels,
    read: async () =>
      (await chains()).flatMap((chain): Sample[] => {
        const measured = value(chain);
        return measured === null ? [] : [[{ coin: chain.coin, mode: chain.mode }, measured]];
      }),
  });
  return [
    perChain('tilld_chain_height', 'Height up to which a chain was read', ({ height }) => height),
    perChain('tilld_chain_lag_blocks', 'Blocks a node has that were not read yet', ({ lag }) => lag),
    perChain('tilld_chain_following', '1 while a chain is followed to its tip', ({ state }) =>
      state === 'following' ? 1 : 0,
    ),
    perChain('tilld_chain_unseen_seconds', 'Since a chain was last seen completely', ({ lastSeenAt }) =>
      lastSeenAt === null ? null : Math.max(0, (clock.now() - lastSeenAt) / 1000),
    ),
    {
      name: 'tilld_chain_alarm',
      help: '1 while node, chain and program do not fit together in this way',
      labels: ['coin', 'mode', 'kind'],
      read: async () =>
        (await chains()).flatMap(({ coin, mode, alarms }): Sample[] =>
          mode === 'live'
            ? CHAIN_ALARMS.map((kind) => [{ coin, mode, kind }, alarms.includes(kind) ? 1 : 0])
            : [],
        ),
    },
    perChain(
      'tilld_chain_unexplained_accounts',
      "Accounts that hold something else than the node's history explains",
      ({ unexplainedAccounts }) => unexplainedAccounts,
    ),
    perChain(
      'tilld_chain_unread_transactions',
      'Transactions that could not be read and are retried: the money in them is not credited',
      ({ unread }) => unread.count,
    ),
    {
      name: 'tilld_chain_gap_blocks',
      help: 'Blocks in gaps of what was scanned: lost by the node or skipped, and not reconciled yet',
      labels,
      read: async () => {
        const gaps = await allSkippedBlocks(db);
        return (await chains()).map(({ coin, mode }): Sample => {
          const own = gaps.filter((gap) => gap.coin === coin && gap.mode === mode);
          return [{ coin, mode }, own.reduce((sum, gap) => sum + gap.beforeHeight - gap.afterHeight - 1, 0)];
        });
      },
    },
    perChain('tilld_chain_warnings', 'Warnings about a node or its chain', ({ warnings }) => warnings.length),
    {
      name: 'tilld_chain_tip_age_seconds',
      help: 'Age of the newest block by its own time; below zero: our clock is behind it',
      labels,
      read: async () =>
        (await newestBlockTimes(db)).map(({ coin, mode, timeMs }): Sample => [
          { coin, mode },
          (clock.now() - timeMs) / 1000,
        ]),
    },
  ];
}

/** Money on addresses of closed payments that was never credited. */
export function uncreditedFamilies({ chains, uncredited }: StateMetricsDeps): Family[] {
  type Found = ReturnType<typeof uncredited>[number];
  const family = (name: string, help: string, value: (found: Found) => number): Family => ({
    name,
    help,
    labels: ['coin', 'mode'],
    read: async () => [
      ...(await chains()).map(({ coin, mode }): Sample => [{ coin, mode }, 0]),
      ...uncredited().map((found): Sample => [{ coin: found.coin, mode: found.mode }, value(found)]),
    ],
  });
  return [
    family(
      'tilld_uncredited_payments',
      'Payments whose time is up that do not expire, because their address holds money that is not credited',
      ({ payments }) => payments,
    ),
    family('tilld_uncredited_amount', 'Money on those addresses that is not credited, in coins', (found) =>
      Number(formatCoinAmount(found.amount, found.coin)),
    ),
  ];
}

/** Result of the last reconciliation of ledger and chain. */
export function reconcileFamilies({ db, chains }: StateMetricsDeps): Family[] {
  // The database keeps the results of coins that are not configured any more: they would age for ever.
  const configured = async <T extends { readonly coin: string; readonly mode: string }>(
    results: Promise<readonly T[]>,
  ): Promise<T[]> => {
    const known = new Set((await chains()).map(({ coin, mode }) => `${coin}/${mode}`));
    return (await results).filter(({ coin, mode }) => known.has(`${coin}/${mode}`));
  };
  const family = (name: string, help: string, value: (result: StoredReconciliation) => number): Family => ({
    name,
    help,
    labels: ['coin', 'mode'],
    read: async () =>
      (await configured(readReconciliations(db))).map((result): Sample => [
        { coin: result.coin, mode: result.mode },
        value(result),
      ]),
  });
  return [
    family(
      'tilld_reconcile_differences',
      'Outputs or accounts about which ledger and chain disagreed in the last comparison',
      ({ differences }) => differences,
    ),
    family(
      'tilld_reconcile_timestamp_seconds',
      'When ledger and chain were last compared; no sample when never',
      ({ at }) => at / 1000,
    ),
    {
      name: 'tilld_reconcile_unknown',
      help: '1 when the newest attempt to compare ledger and chain told nothing',
      labels: ['coin', 'mode'],
      read: async () => {
        const samples = new Map<string, Sample>();
        for (const { coin, mode } of await configured(readReconciliations(db))) {
          samples.set(`${coin}/${mode}`, [{ coin, mode }, 0]);
        }
        for (const { coin, mode } of await configured(readUnreconciled(db))) {
          samples.set(`${coin}/${mode}`, [{ coin, mode }, 1]);
        }
        return [...samples.values()];
      },
    },
  ];
}

/** Time since each price source's last usable price. */
export function rateSourceFamily({ rates }: StateMetricsDeps): Family {
  return {
    name: 'tilld_rate_source_age_seconds',
    help: 'Since a price source last gave a usable price, or since the start when it has given none; no sample with fixed prices',
    labels: ['source'],
    read: () => rates.sourceAges().map(({ source, ageMs }): Sample => [{ source }, ageMs / 1000]),
  };
}

/** Rates of currencies in use that depend on a single source, or are rejected. */
export function rateProblemFamily({ rates }: StateMetricsDeps): Family {
  return {
    name: 'tilld_rate_single_source',
    help: '1 for a rate by one source alone where more agreed before (alone), or that is refused since it moved too far (refused)',
    labels: ['coin', 'currency', 'state'],
    read: () => rates.problems().map(({ coin, currency, state }): Sample => [{ coin, currency, state }, 1]),
  };
}

/** Age of the prices. */
export function rateFamily({ rates, clock, liveCoins }: StateMetricsDeps): Family {
  const age = (coin: Coin): Sample[] => {
    try {
      const { at } = rates.quote(coin, 'USD', 'live');
      return [[{ coin }, Math.max(0, (clock.now() - at) / 1000)]];
    } catch {
      return [];
    }
  };
  return {
    name: 'tilld_rate_age_seconds',
    help: 'Age of the price of a coin in US dollars; no sample while there is none to be had',
    labels: ['coin'],
    read: () => liveCoins.flatMap(age),
  };
}
