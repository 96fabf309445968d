import type { ChainAlarm } from '../domain/chain.ts';
import type { Coin } from '../domain/coins.ts';
import type { Clock, Rates } from '../domain/ports.ts';
import type { Db } from '../store/sqlite/database.ts';

/** The measured part of a chain's health (see ChainHealth of the watcher). */
export interface MeasuredChain {
  readonly coin: string;
  readonly mode: string;
  readonly state: string;
  readonly height: number | null;
  readonly lag: number | null;
  readonly lastSeenAt: number | null;
  readonly unexplainedAccounts: number | null;
  readonly unread: { readonly count: number };
  readonly warnings: readonly string[];
  readonly alarms: readonly ChainAlarm[];
}

export interface StateMetricsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly rates: Pick<Rates, 'quote'> & {
    sourceAges(): readonly { readonly source: string; readonly ageMs: number }[];
    problems(): readonly {
      readonly coin: Coin;
      readonly currency: string;
      readonly state: 'alone' | 'refused';
    }[];
  };
  readonly olderDatabase: { isSet(): boolean };
  /** Null without a replica. */
  readonly replica: { status(): { readonly epoch: number; readonly lagSeconds: number | null } } | null;
  /** Null for plain HTTP. */
  readonly certificate: { readonly endsAt: number; isEnding(): boolean } | null;
  /** Null where the log has no output of its own. */
  readonly log: { readonly dropped: number } | null;
  /** Null without an update feed. */
  readonly updates: { available(): { readonly security: boolean } | null } | null;
  readonly dataDir: string;
  readonly liveCoins: readonly Coin[];
  readonly chains: () => Promise<readonly MeasuredChain[]>;
  /** Uncredited money on addresses of closed payments. */
  readonly uncredited: () => readonly {
    readonly coin: Coin;
    readonly mode: string;
    readonly payments: number;
    readonly amount: bigint;
  }[];
  readonly version: string;
}

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A family of samples: name, help, labels, and how to read them now. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: () => Promise<readonly Sample[]> | readonly Sample[];
}

/** Scrapes closer together than this share one set of database counts. */
const CACHE_MS = 10_000;

/** At most one query per CACHE_MS, shared by all callers. */
export function cached<T>(clock: Clock, read: () => Promise<T>): () => Promise<T> {
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
