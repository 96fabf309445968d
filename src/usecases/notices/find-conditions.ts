import type { ChainId } from '../../domain/coins.ts';
import { FEW_ADDRESSES } from '../../domain/notices.ts';
import type { Clock } from '../../domain/ports.ts';
import { lowLists } from '../../store/ledger/watch-lists.ts';
import { feeLimitedSends, troubledEndpoints, unconfirmedSends } from '../../store/notices/conditions.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { Condition } from './store-condition-notices.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a node may be unreachable before its operator is notified. */
const NODE_MS = 10 * MINUTE_MS;
const WEBHOOK_MS = HOUR_MS;
/** How long a send may wait for a block. */
const STUCK_MS = 6 * HOUR_MS;
/** How long a fee bump may wait for its budget. */
const FEE_LIMITED_MS = 24 * HOUR_MS;
const SENDS_MAX = 50;

export interface FindConditionsDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Every chain with the current state of its watcher. */
  readonly chains: () => readonly (ChainId & {
    readonly state: string;
    readonly unread: { readonly count: number };
  })[];
  readonly isBackupTooOld: () => boolean;
  readonly isReplicaBehind: () => boolean;
  /** The TLS certificate should have been renewed by now. */
  readonly isCertificateEnding: () => boolean;
  /** A rate rests on a single price source, or is rejected. */
  readonly areRatesUnsure: () => boolean;
}

/** Every fault that currently exists. */
export async function findConditions(deps: FindConditionsDeps): Promise<Condition[]> {
  return [
    ...operatorConditions(deps),
    ...(await webhookConditions(deps)),
    ...(await sendConditions(deps)),
    ...(await listConditions(deps)),
  ];
}

const OPERATORS = { merchantId: '', mode: 'live', details: {} } as const;

function operatorConditions(deps: FindConditionsDeps): Condition[] {
  const { chains, isBackupTooOld, isReplicaBehind, isCertificateEnding, areRatesUnsure } = deps;
  const live = chains().filter(({ mode }) => mode === 'live');
  const nodes = live.filter(({ state }) => state !== 'following');
  const unread = live.filter((chain) => chain.unread.count > 0);
  const backup = isBackupTooOld();
  const replica = isReplicaBehind();
  return [
    ...nodes.map(({ coin }): Condition => {
      const about = { subject: coin, details: { coin }, afterMs: NODE_MS };
      return { ...OPERATORS, ...about, reason: 'node_down', back: 'node_back' };
    }),
    ...unread.map(({ coin }): Condition => {
      const about = { subject: coin, details: { coin }, afterMs: NODE_MS };
      return { ...OPERATORS, ...about, reason: 'transactions_unread', back: 'transactions_read' };
    }),
    ...(areRatesUnsure() ? [single('rates_unsure', 'rates_back', NODE_MS)] : []),
    ...(backup ? [single('backup_old', 'backup_back', 0)] : []),
    ...(replica ? [single('replica_behind', 'replica_back', NODE_MS)] : []),
    ...(isCertificateEnding() ? [single('certificate_ending', 'certificate_back', 0)] : []),
  ];
}

function single(
  reason: 'backup_old' | 'replica_behind' | 'rates_unsure' | 'certificate_ending',
  back: Condition['back'],
  afterMs: number,
): Condition {
  return { ...OPERATORS, reason, back, subject: 'server', afterMs };
}

async function webhookConditions({ db }: FindConditionsDeps): Promise<Condition[]> {
  return (await troubledEndpoints(db)).map((endpoint): Condition => {
    const isGone = endpoint.goneAt !== null;
    return {
      reason: isGone ? 'webhook_gone' : 'webhook_failing',
      back: null,
      merchantId: endpoint.merchantId,
      mode: 'live',
      subject: endpoint.id,
      // The path may contain a secret of the shop.
      details: { host: URL.canParse(endpoint.url) ? new URL(endpoint.url).host : '' },
      afterMs: isGone ? 0 : WEBHOOK_MS,
    };
  });
}

async function sendConditions({ db, clock }: FindConditionsDeps): Promise<Condition[]> {
  const now = clock.now();
  const stuck = await unconfirmedSends(db, now - STUCK_MS, SENDS_MAX);
  const limited = await feeLimitedSends(db, now - FEE_LIMITED_MS, SENDS_MAX);
  return [
    ...stuck.map((send) => ({ send, reason: 'send_stuck' as const })),
    ...limited.map((send) => ({ send, reason: 'fee_limited' as const })),
  ].map(({ send, reason }): Condition => ({
    reason,
    back: null,
    merchantId: send.merchantId,
    mode: send.mode,
    subject: send.id,
    details: { coin: send.coin },
    afterMs: 0,
  }));
}

/** Lists of addresses that come to their end, all of a coin of a shop together. */
async function listConditions({ db, clock }: FindConditionsDeps): Promise<Condition[]> {
  const low = await lowLists(db, { atMost: FEW_ADDRESSES, now: clock.now() });
  return low.map(({ merchantId, coin, mode, free }): Condition => ({
    reason: free === 0 ? 'addresses_gone' : 'addresses_low',
    back: null,
    merchantId,
    mode,
    subject: `${merchantId} ${coin} ${mode}`,
    details: { coin },
    afterMs: 0,
  }));
}
