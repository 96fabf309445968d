import type { RequiredConfirmations } from '../confirmations.ts';

/** The network a chain adapter runs on. Simulated chains use `testnet` address formats. */
export const NETWORKS = ['mainnet', 'testnet', 'regtest'] as const;
export type Network = (typeof NETWORKS)[number];

/**
 * How a send selects coins: any of its outputs, the merchant's own account only (deposits must be moved there
 * first), or several accounts, each as a whole.
 */
export type SpendingModel = 'outputs' | 'one-account' | 'many-accounts';

/** A node's software and its oldest version without known serious faults. */
export interface MinimumVersion {
  /** Matches the version numbers in the node's version string; other software is not judged. */
  readonly pattern: RegExp;
  readonly oldest: readonly number[];
}

/** Fields of every coin. Times in ms; fee rates in atoms per 1,000 units of size. */
interface CoinBase {
  /** The code in API and database; never changes. */
  readonly code: string;
  readonly name: string;
  /** Decimal places between the coin and its atom (satoshi, litoshi, wei, lamport). */
  readonly decimals: number;
  readonly atom: string;
  /** Whole coins that can exist, rounded up where the protocol sets no limit: a higher price cannot be paid. */
  readonly supply: bigint;
  /** Whether sums of amounts stay below 2^63 atoms. */
  readonly fitsInt64: boolean;
  /** SLIP-0044 coin type; test networks use 1. */
  readonly slip44: number;
  /** The coin's bit in `payments.offered`; never changes. */
  readonly offeredBit: number;
  readonly spending: SpendingModel;
  /** Whether a signed transaction can expire. */
  readonly expires: boolean;
  /** The unit in which users enter a fee rate, its decimals, and the conversion to our rates. */
  readonly feeUnit: { readonly name: string; readonly decimals: number; readonly perRate: bigint };
  readonly blocks: {
    /** See BlockTimes. */
    readonly times: 'exact' | 'rough';
    /** A tip older than this means that the node is behind the network, even if it reports otherwise. */
    readonly oldestTipMs: number;
    /** Maximum lead of an honest block time over our clock. */
    readonly aheadMs: number;
    /** A public network practically never goes longer without a block. */
    readonly silenceMs: number;
  };
  /** Default confirmations of a live payment, as written in the configuration. */
  readonly confirmations: number | string;
  /** Words that the configuration accepts instead of a number of confirmations. */
  readonly finality: Readonly<Record<string, RequiredConfirmations>>;
  readonly rates: {
    readonly coingecko: string;
    /**
     * Kraken rejects a whole request that contains an unknown pair, so it is queried only for
     * long-established currencies.
     */
    readonly kraken: { readonly symbol: string; readonly currencies: readonly string[] };
    /** Sandbox price in dollars while no rate source answers. */
    readonly sandboxUsd: number;
  };
  /** Fee level and smallest output and payment on the simulated chain. */
  readonly sandbox: { readonly feeRate: bigint; readonly dust: bigint; readonly minimumPayment: bigint };
  /** Shown in the API documentation. */
  readonly example: { readonly address: string; readonly balance: string };
}

/** How a node of one network identifies itself. */
export interface ChainIdentity {
  /** `chain` of getblockchaininfo. Bitcoin and Litecoin both answer "main", so the genesis hash decides. */
  readonly chain: string;
  readonly genesisHash: string;
}

export interface UtxoNetwork {
  /** One, or several where test networks share their address formats. */
  readonly identities: readonly ChainIdentity[];
  /** BIP-173 human-readable part; null where the chain has no segregated witness. */
  readonly hrp: string | null;
  /** Human-readable part of MWEB addresses, which tilld cannot pay. */
  readonly mwebHrp: string | null;
  /** Accepted Base58 version bytes; the first is the current one. */
  readonly pubKeyHashVersions: readonly [number, ...number[]];
  readonly scriptHashVersions: readonly [number, ...number[]];
}

/** The script of our own addresses: native segwit (BIP-84), or a bare key hash (BIP-44) where there is none. */
export type ScriptType = 'p2wpkh' | 'p2pkh';

/** Parameters of a Bitcoin-family coin. */
export interface UtxoCoin extends CoinBase {
  readonly family: 'utxo';
  readonly spending: 'outputs';
  readonly scriptType: ScriptType;
  /** Scheme of payment URIs (BIP-21). */
  readonly uriScheme: string;
  /** Blocks may carry a MimbleWimble extension block and a HogEx transaction (LIP-3). */
  readonly hasMweb: boolean;
  /** Policy rate from which dust limits follow. */
  readonly dustRelayRate: bigint;
  /** Fee rate of a send while the node has no estimate. */
  readonly fallbackFeeRate: bigint;
  /** Highest rate ever paid, whatever the node estimates, while the configuration sets none. */
  readonly feeCapRate: bigint;
  /** Blocks within which a send should confirm. */
  readonly confirmTarget: number;
  readonly knownGood: readonly MinimumVersion[];
  readonly networks: Readonly<Record<Network, UtxoNetwork>>;
}

/** A coin of an account chain: the adapter of its family defines the rest. */
export interface AccountCoin extends CoinBase {
  readonly family: 'ethereum' | 'solana';
  readonly spending: 'one-account' | 'many-accounts';
  /** Maximum number of accounts that one transaction draws on. */
  readonly accountsPerSend: number;
}

/** Parameters of a coin, beyond the code of its family. */
export type CoinDefinition = UtxoCoin | AccountCoin;
