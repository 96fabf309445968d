import type { Argon2Cost } from '../domain/argon2-cost.ts';
import type { AccountCoinCode, Coin, Network, UtxoCoinCode } from '../domain/coins.ts';
import type { ConfirmationPolicy } from '../domain/confirmations.ts';
import type { Explorers } from '../domain/explorers.ts';
import type { FixedRates } from '../domain/fixed-rates.ts';
import type { LatePolicy } from '../domain/payment/types.ts';
import type { Secret } from './secret.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const ACCESS_LOGS = ['full', 'anonymous', 'off'] as const;
export const REGISTRATION_MODES = ['open', 'first-user', 'closed'] as const;
export const RATE_SOURCE_NAMES = ['kraken', 'coinbase', 'bitstamp', 'coingecko'] as const;
export const COINGECKO_PLANS = ['demo', 'pro'] as const;

/** The daemon's complete, validated configuration. Built by `loadConfig` only. */
export interface Config {
  /** The YAML file it came from. */
  readonly file: string;
  /** Network of the live coins; null when only the sandbox exists. */
  readonly network: Network | null;
  /** Absolute path. */
  readonly dataDir: string;
  /** Certificates of authorities that are trusted in addition to the public ones; null: none. */
  readonly authorities: { readonly file: string; readonly certificates: readonly string[] } | null;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly shutdownGraceMs: number;
  readonly http: HttpConfig;
  readonly auth: AuthConfig;
  readonly keyring: KeyringConfig;
  /** The live node of each coin; a coin without one is not payable live. */
  readonly nodes: Readonly<Partial<Record<Coin, NodeEndpoint>>>;
  readonly nodeTimeoutMs: number;
  /** Maximum calls per batch to the Ethereum node. */
  readonly ethRpcBatchSize: number;
  /** Maximum calls per second to a node; 0: no limit. */
  readonly rpcPerSecond: Readonly<Record<AccountCoinCode, number>>;
  /** Live policy of each coin. */
  readonly confirmations: Readonly<Record<Coin, ConfirmationPolicy>>;
  readonly fees: Readonly<Record<UtxoCoinCode, FeeBounds>>;
  /** Fee cap of Ethereum transactions, wei per 1,000 gas. */
  readonly ethFeeCap: bigint;
  /** Fee bumping of unconfirmed sends, and consolidation of outputs. */
  readonly feePolicy: {
    readonly bumpsFees: boolean;
    /** Basis points of the amount. */
    readonly maxFeeShareBps: number;
    /** Atoms per 1,000 vB; 0: never. */
    readonly consolidateBelowRate: bigint;
    /** How long a higher limit waits, and a send above one for its approval. */
    readonly limitDelayMs: number;
    readonly forwardDelayMs: number;
    /** Basis points of the amount. */
    readonly forwardFeeShareBps: number;
    readonly approvalTtlMs: number;
  };
  /** Subscription URL of the Solana node; those of hosted nodes contain an API key. */
  readonly solWsUrl: Secret | null;
  /** Micro-lamports per compute unit. */
  readonly solFeeCap: bigint;
  readonly watcher: { readonly pollIntervalMs: number };
  /** How often the ledger is reconciled with each chain. */
  readonly reconcileIntervalMs: number;
  /** Retention of the audit log. */
  readonly auditDays: number;
  readonly backup: BackupConfig;
  readonly replica: ReplicaConfig | null;
  /** Confirmation by the operator that no other machine runs with this seed. */
  readonly isOtherMachineOff: boolean;
  readonly payments: PaymentDefaults;
  readonly waiting: WaitingConfig;
  readonly webhooks: WebhooksConfig;
  readonly domains: DomainsConfig;
  readonly rates: RatesConfig;
  readonly sandbox: SandboxConfig;
  readonly explorers: ExplorersConfig;
  readonly smtp: { readonly url: Secret; readonly from: string } | null;
  /** Address for emails about nodes, backups and the replica; null: none. */
  readonly operatorEmail: string | null;
  /** The signed feed of releases; null: no request is made. */
  readonly updates: { readonly feed: string; readonly signersFile: string } | null;
  /** Absolute paths of files that contain secrets, as configured. */
  readonly secretFiles: readonly string[];
  /** Warnings to log at start. */
  readonly warnings: readonly string[];
}

export interface HttpConfig {
  readonly host: string;
  readonly port: number;
  /** Public URL, without a trailing slash. */
  readonly baseUrl: string;
  /** False, a number of proxy hops, or addresses and subnets of proxies, as in Express. */
  readonly trustProxy: false | number | readonly string[];
  /** Absolute paths of PEM files. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly bodyLimitBytes: number;
  /** Payments that one client address may create per minute with one public key; 0: no limit. */
  readonly publicRatePerMinute: number;
  /** Address that serves /metrics and the details of /readyz; null: the public address. */
  readonly adminListen: { readonly host: string; readonly port: number } | null;
  /** Detail of the request log. */
  readonly accessLog: (typeof ACCESS_LOGS)[number];
}

export interface AuthConfig {
  readonly registration: (typeof REGISTRATION_MODES)[number];
  /** Requests per minute and client address on /auth; 0: no limit. */
  readonly ratePerMinute: number;
  /** Shops that one account may create; 0: any number. */
  readonly shopsPerAccount: number;
  /** HS256 key, 32 bytes or more; null: one is generated and kept in the data directory. */
  readonly jwtSecret: Secret | null;
  readonly passwordHash: Argon2Cost;
}

export interface KeyringConfig {
  /** Null: one is generated and kept in the data directory. */
  readonly passphrase: Secret | null;
  readonly argon2: Argon2Cost;
}

export interface NodeEndpoint {
  /** RPC URL without user and password. Hosted nodes carry an API key in the path: secret. */
  readonly url: Secret;
  /** Scheme, host and port: safe to log. */
  readonly origin: string;
  readonly credentials: { readonly user: string; readonly password: Secret } | null;
  /** Absolute path of the node's `.cookie`, read again when the node answers 401. */
  readonly cookieFile: string | null;
}

/** Bounds of the fee rate in atoms per 1,000 virtual bytes. */
export interface FeeBounds {
  readonly floorPerKvb: bigint;
  readonly capPerKvb: bigint;
}

/** Scheduled backups of the daemon. */
export interface BackupConfig {
  /** As in cron, in the machine's time zone; null: no backups. */
  readonly schedule: string | null;
  /** Absolute path. */
  readonly folder: string;
  /** Scheduled backups to keep; older ones are removed. */
  readonly keep: number;
  /** Age of the newest backup from which the operator is warned. */
  readonly maxAgeMs: number;
}

/** The replica of the database, written by Litestream. */
export interface ReplicaConfig {
  /** URL with the scheme file or s3; may contain a password. */
  readonly url: Secret;
  /** Endpoint of an S3 service other than Amazon's; requested with the bucket in the path. */
  readonly s3Endpoint: string | null;
  readonly s3Region: string | null;
  /** Age of the newest data in the replica from which the operator is warned. */
  readonly maxLagMs: number;
}

/** Block explorers that pages link to, for real money only. */
export interface ExplorersConfig {
  readonly byCoin: Explorers;
  /** Payers see the links too. */
  readonly forPayers: boolean;
}

/** Timeouts for transactions. */
export interface WaitingConfig {
  /** Money seen in time that is still unconfirmed this long after the expiry counts as late. */
  readonly unconfirmedGraceMs: number;
  /** A transaction that a node in sync has had neither in a block nor in its mempool for this long is dropped. */
  readonly dropAfterMs: number;
}

/** Defaults of a new merchant. */
export interface PaymentDefaults {
  readonly lifetimeMinutes: number;
  readonly toleranceBps: number;
  readonly latePolicy: LatePolicy;
}

export interface WebhooksConfig {
  /** Loopback and private targets, and plain http, may be called. */
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** Pauses between the end of one attempt and the next; there is one more attempt than gaps. */
  readonly retryDelaysMs: readonly number[];
  readonly logRetentionDays: number;
  readonly logMaxBytes: number;
}

export interface DomainsConfig {
  /** DNS servers for merchants' domains, `address` or `address:port`; none: the machine's own servers. */
  readonly dnsServers: readonly string[];
}

export interface RatesConfig {
  /** Set: these prices and no network. Null: the live sources. */
  readonly fixed: FixedRates | null;
  readonly sources: readonly (typeof RATE_SOURCE_NAMES)[number][];
  /** CoinGecko's API key; the plan decides the host. */
  readonly coingecko: { readonly apiKey: Secret | null; readonly plan: (typeof COINGECKO_PLANS)[number] };
  readonly refreshIntervalMs: number;
  readonly maxAgeMs: number;
  readonly timeoutMs: number;
  /** How far a single source may move a rate. */
  readonly single: { readonly perMinutePercent: number; readonly maxPercent: number };
}

export interface SandboxConfig {
  /** Prices of sandbox payments when no source answers. */
  readonly fallbackRates: FixedRates;
  readonly blockIntervalMs: number;
  /** Confirmations of a simulated payment, any coin. */
  readonly confirmations: number;
}
