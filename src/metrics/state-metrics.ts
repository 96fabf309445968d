import { statSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { CHAIN_ALARMS, type ChainAlarm } from '../domain/chain.ts';
import type { Coin } from '../domain/coins.ts';
import type { Clock, Rates } from '../domain/ports.ts';
import { countPayments, countSends, newestBlockTimes, webhookBacklog } from '../store/counts.ts';
import { WRITE_TROUBLES, writeTroubleOf, type Db } from '../store/database.ts';
import {
  readReconciliations,
  readUnreconciled,
  type StoredReconciliation,
} from '../store/reconciliations.ts';
import { SEND_STATUSES } from '../store/tables.ts';

/** What of a chain's health is measured (see ChainHealth of the watcher). */
export interface MeasuredChain {
  readonly coin: string;
  readonly mode: string;
  readonly state: string;
  readonly height: number | null;
  readonly lag: number | null;
  readonly lastSeenAt: number | null;
  readonly warnings: readonly string[];
  readonly alarms: readonly ChainAlarm[];
}

export interface StateMetricsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly rates: Pick<Rates, 'quote'>;
  readonly dataDir: string;
  readonly liveCoins: readonly Coin[];
  readonly chains: () => Promise<readonly MeasuredChain[]>;
  readonly version: string;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A family of samples: name, help, labels, and how to read them now. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: () => Promise<readonly Sample[]> | readonly Sample[];
}

/** Scrapes closer together than this share what was counted in the database. */
const CACHE_MS = 10_000;
/** Left by scripts/backup after each success. */
const LAST_BACKUP_FILE = 'last-backup';

/** Sums of the library's gauges of the same names without `_total`, which by Prometheus' rules is for counters. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
] as const;

/**
 * The daemon's state as gauges, read when they are scraped, and the process's own metrics. Labels come
 * from fixed sets (coins, modes, statuses), so their number is bounded.
 */
export function registerStateMetrics(registry: Registry, deps: StateMetricsDeps): void {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  for (const { name, help, labels, read } of [
    ...chainFamilies(deps),
    ...databaseFamilies(deps),
    ...sendFamilies(deps),
    ...fileFamilies(deps),
    ...reconcileFamilies(deps),
    rateFamily(deps),
  ]) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [],
      async collect() {
        const samples = await read();
        this.reset();
        for (const [sampleLabels, value] of samples) this.set(sampleLabels, value);
      },
    });
    registry.registerMetric(gauge);
  }
  const info = { name: 'tilld_build_info', help: 'Version of the program', labelNames: ['version'] };
  new Gauge({ ...info, registers: [registry] }).set({ version: deps.version }, 1);
}

function chainFamilies({ db, clock, chains }: StateMetricsDeps): Family[] {
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

function databaseFamilies({ db, clock }: StateMetricsDeps): Family[] {
  const payments = cached(clock, () => countPayments(db));
  const backlog = cached(clock, () => webhookBacklog(db, clock.now()));
  return [
    {
      name: 'tilld_database_unwritable',
      help: '1 while nothing can be written to the database, and why',
      labels: ['reason'],
      read: () => {
        const trouble = writeTroubleOf(db);
        return WRITE_TROUBLES.map((reason): Sample => [{ reason }, reason === trouble ? 1 : 0]);
      },
    },
    {
      name: 'tilld_database_disk_full',
      help: '1 while the disk of the database has no room for what is to be written',
      labels: [],
      read: () => [[{}, writeTroubleOf(db) === 'disk full' ? 1 : 0]],
    },
    {
      name: 'tilld_payments',
      help: 'Payments by status',
      labels: ['mode', 'status'],
      read: async () =>
        (await payments()).map(({ mode, status, count }): Sample => [{ mode, status }, count]),
    },
    {
      name: 'tilld_webhooks_pending',
      help: 'Webhooks not delivered yet, whenever they are due',
      labels: [],
      read: async () => [[{}, (await backlog()).pending]],
    },
    {
      name: 'tilld_webhooks_due',
      help: 'Webhooks whose time for an attempt has come',
      labels: [],
      read: async () => [[{}, (await backlog()).due]],
    },
    {
      name: 'tilld_webhook_oldest_due_age_seconds',
      help: 'How long the webhook due longest waits for its attempt; 0 when none does',
      labels: [],
      read: async () => {
        const { oldestDueAt } = await backlog();
        return [[{}, oldestDueAt === null ? 0 : Math.max(0, (clock.now() - oldestDueAt) / 1000)]];
      },
    },
  ];
}

/** With a 0 for what there is none of: an alert compares with it. */
function sendFamilies({ db, clock, chains }: StateMetricsDeps): Family[] {
  const counts = cached(clock, () => countSends(db));
  return [
    {
      name: 'tilld_sends',
      help: 'Sends by status',
      labels: ['coin', 'mode', 'status'],
      read: async () => {
        const none = (await chains()).flatMap(({ coin, mode }) =>
          SEND_STATUSES.map((status): Sample => [{ coin, mode, status }, 0]),
        );
        const some = (await counts()).map(({ coin, mode, status, count }): Sample => [
          { coin, mode, status },
          count,
        ]);
        return [...none, ...some];
      },
    },
    {
      name: 'tilld_send_oldest_open_age_seconds',
      help: 'How long the send made first of those in no block waits for one; 0 when none does',
      labels: ['coin', 'mode'],
      read: async () => {
        const open = (await counts()).filter(({ status }) => status === 'signed' || status === 'broadcast');
        return (await chains()).map(({ coin, mode }): Sample => {
          const ours = open.filter((each) => each.coin === coin && each.mode === mode);
          const oldestAt = Math.min(...ours.map((each) => each.oldestAt));
          return [{ coin, mode }, ours.length === 0 ? 0 : Math.max(0, (clock.now() - oldestAt) / 1000)];
        });
      },
    },
  ];
}

function fileFamilies({ dataDir }: StateMetricsDeps): Family[] {
  const files = { database: 'tilld.sqlite', wal: 'tilld.sqlite-wal' };
  return [
    {
      name: 'tilld_database_bytes',
      help: 'Size of the database and of its write-ahead log',
      labels: ['file'],
      read: () =>
        Object.entries(files).map(([file, name]): Sample => {
          const found = statSync(join(dataDir, name), { throwIfNoEntry: false });
          return [{ file }, found?.size ?? 0];
        }),
    },
    {
      name: 'tilld_last_backup_timestamp_seconds',
      help: 'When scripts/backup last succeeded; no sample when it never did',
      labels: [],
      read: () => {
        const found = statSync(join(dataDir, LAST_BACKUP_FILE), { throwIfNoEntry: false });
        return found === undefined ? [] : [[{}, found.mtimeMs / 1000]];
      },
    },
  ];
}

function reconcileFamilies({ db }: StateMetricsDeps): Family[] {
  const family = (name: string, help: string, value: (result: StoredReconciliation) => number): Family => ({
    name,
    help,
    labels: ['coin', 'mode'],
    read: async () =>
      (await readReconciliations(db)).map((result): Sample => [
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
        for (const { coin, mode } of await readReconciliations(db)) {
          samples.set(`${coin}/${mode}`, [{ coin, mode }, 0]);
        }
        for (const { coin, mode } of await readUnreconciled(db)) {
          samples.set(`${coin}/${mode}`, [{ coin, mode }, 1]);
        }
        return [...samples.values()];
      },
    },
  ];
}

function rateFamily({ rates, clock, liveCoins }: StateMetricsDeps): Family {
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

/** At most one look-up per CACHE_MS, shared by all who ask. */
function cached<T>(clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let at = Number.NEGATIVE_INFINITY;
  let value: Promise<T> | null = null;
  return async () => {
    const now = clock.now();
    if (value === null || now - at >= CACHE_MS || now < at) {
      at = now;
      value = read().catch((error: unknown) => {
        value = null;
        throw error;
      });
    }
    return value;
  };
}
