import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  countPayments,
  countSends,
  oldestFeeLimited,
  oldestUnsentClaims,
  webhookBacklog,
} from '../store/operations/counts.ts';
import { isOpen } from '../domain/send/send-status.ts';
import { ALL_WALLETS, listFreezes } from '../store/sends/wallet-freezes.ts';
import { SEND_STATUSES } from '../domain/send/types.ts';
import { cached, type Family, type Sample, type StateMetricsDeps } from './metric-family.ts';

/** Written by tillctl backup after each success. */
const LAST_BACKUP_FILE = 'last-backup';

/** Whether the database is writable, and its numbers of payments and webhooks. */
export function databaseFamilies({ db, clock, olderDatabase }: StateMetricsDeps): Family[] {
  const payments = cached(clock, () => countPayments(db));
  const backlog = cached(clock, () => webhookBacklog(db, clock.now()));
  return [
    {
      name: 'tilld_database_unwritable',
      help: '1 while nothing can be written to the database, and why',
      labels: ['reason'],
      read: () => {
        const reason = 'locked by another process';
        return [[{ reason }, db.database.writeTrouble === reason ? 1 : 0]];
      },
    },
    {
      name: 'tilld_database_disk_full',
      help: '1 while the disk of the database has no room for what is to be written',
      labels: [],
      read: () => [[{}, db.database.writeTrouble === 'disk full' ? 1 : 0]],
    },
    {
      name: 'tilld_database_was_older',
      help: '1 from the start that found an older copy of the database until the operator has dealt with it',
      labels: [],
      read: () => [[{}, olderDatabase.isSet() ? 1 : 0]],
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

/** Number of sends by label, zeros included, so that alerts can compare. */
export function sendFamilies({
  db,
  clock,
  chains,
}: Pick<StateMetricsDeps, 'db' | 'clock' | 'chains'>): Family[] {
  const counts = cached(clock, () => countSends(db));
  const limited = cached(clock, () => oldestFeeLimited(db));
  const claims = cached(clock, () => oldestUnsentClaims(db));
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
        const open = (await counts()).filter(({ status }) => isOpen({ status }) || status === 'preparing');
        return (await chains()).map(({ coin, mode }): Sample => {
          const ours = open.filter((each) => each.coin === coin && each.mode === mode);
          const oldestAt = Math.min(...ours.map((each) => each.oldestAt));
          return [{ coin, mode }, ours.length === 0 ? 0 : Math.max(0, (clock.now() - oldestAt) / 1000)];
        });
      },
    },
    {
      name: 'tilld_send_oldest_fee_limited_age_seconds',
      help: 'How long the send or raise that waits longest for a fee budget waits; 0 when none does',
      labels: ['coin', 'mode'],
      read: async () => {
        const waiting = await limited();
        return (await chains()).map(({ coin, mode }): Sample => {
          const since = waiting.find((each) => each.coin === coin && each.mode === mode)?.since;
          return [{ coin, mode }, since === undefined ? 0 : Math.max(0, (clock.now() - since) / 1000)];
        });
      },
    },
    {
      name: 'tilld_refund_claim_oldest_unsent_age_seconds',
      help: 'How long the claimed refund that could be sent first waits for its send; 0 when none does',
      labels: ['coin', 'mode'],
      read: async () => {
        const waiting = await claims();
        return (await chains()).map(({ coin, mode }): Sample => {
          const since = waiting.find((claim) => claim.coin === coin && claim.mode === mode)?.since;
          return [{ coin, mode }, since === undefined ? 0 : Math.max(0, (clock.now() - since) / 1000)];
        });
      },
    },
  ];
}

/** Wallets for which nothing is signed. */
export function freezeFamily({ db }: Pick<StateMetricsDeps, 'db'>): Family {
  return {
    name: 'tilld_wallets_frozen',
    help: 'Frozen wallets: 1 for scope "all" while the operator has frozen every wallet, and the number of frozen shops',
    labels: ['scope'],
    read: async () => {
      const freezes = await listFreezes(db);
      const all = freezes.filter(({ subject }) => subject === ALL_WALLETS).length;
      return [
        [{ scope: 'all' }, all],
        [{ scope: 'shop' }, freezes.length - all],
      ];
    },
  };
}

/** The end of the certificate, a newer release, and lines that the log lacks. */
export function processFamilies({ certificate, log, updates }: StateMetricsDeps): Family[] {
  return [
    {
      name: 'tilld_tls_certificate_end_timestamp_seconds',
      help: 'When the TLS certificate in use ends; no sample behind a proxy that speaks TLS',
      labels: [],
      read: () => (certificate === null ? [] : [[{}, certificate.endsAt / 1000]]),
    },
    {
      name: 'tilld_tls_certificate_ending',
      help: '1 once the TLS certificate should have been renewed: 14 days, or a third of its life, before its end',
      labels: [],
      read: () => (certificate === null ? [] : [[{}, certificate.isEnding() ? 1 : 0]]),
    },
    {
      name: 'tilld_update_available',
      help: '1 while the update feed names a newer release, by whether that is a security release; no sample without a feed',
      labels: ['security'],
      read: () => {
        if (updates === null) return [];
        const newer = updates.available();
        return [true, false].map((security): Sample => [
          { security: String(security) },
          newer?.security === security ? 1 : 0,
        ]);
      },
    },
    {
      name: 'tilld_log_dropped_lines',
      help: 'Log lines dropped since the start because the output could not be written',
      labels: [],
      read: () => [[{}, log?.dropped ?? 0]],
    },
  ];
}

/** The sizes of the database's files, and the age of their copies. */
export function fileFamilies({ dataDir, replica }: StateMetricsDeps): Family[] {
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
      help: 'When tillctl backup last succeeded; no sample when it never did',
      labels: [],
      read: () => {
        const found = statSync(join(dataDir, LAST_BACKUP_FILE), { throwIfNoEntry: false });
        return found === undefined ? [] : [[{}, found.mtimeMs / 1000]];
      },
    },
    {
      name: 'tilld_replica_lag_seconds',
      help: 'Age of the newest data in the replica; no sample without one, or before it was seen',
      labels: [],
      read: () => {
        const lag = replica?.status().lagSeconds ?? null;
        return lag === null ? [] : [[{}, lag]];
      },
    },
    {
      name: 'tilld_replica_epoch',
      help: 'Counts up with each takeover by another machine; no sample without a replica',
      labels: [],
      read: () => (replica === null ? [] : [[{}, replica.status().epoch]]),
    },
  ];
}
