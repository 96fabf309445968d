import type { Network } from '../../domain/coins.ts';
import type { KnownGood } from '../known-good.ts';

/** The coins this family serves. A new one is one data file and one line below. */
export type UtxoCoinCode = 'BTC' | 'LTC';

/** What a node of one network says of itself. */
export interface ChainIdentity {
  /** `chain` of getblockchaininfo. Bitcoin and Litecoin both answer "main", so the hash decides. */
  readonly chain: string;
  readonly genesisHash: string;
}

export interface UtxoNetwork {
  /** One, or several where test networks share their address formats. */
  readonly identities: readonly ChainIdentity[];
  /** BIP-173 human-readable part. */
  readonly hrp: string;
  /** Human-readable part of MWEB addresses, which cannot be paid from here. */
  readonly mwebHrp: string | null;
  /** Base58 version bytes that are accepted; the first is the current one. */
  readonly pubKeyHashVersions: readonly number[];
  readonly scriptHashVersions: readonly number[];
}

/** Everything in which one UTXO coin differs from another. Rates in atoms per 1,000 vB. */
export interface UtxoCoin {
  readonly code: UtxoCoinCode;
  readonly name: string;
  /** Scheme of payment URIs (BIP-21). */
  readonly uriScheme: string;
  /** Blocks may carry a MimbleWimble extension block and a HogEx transaction (LIP-3). */
  readonly hasMweb: boolean;
  /** Policy rate from which dust limits follow. */
  readonly dustRelayRate: bigint;
  /** What a replacement must pay on top of what it replaces (BIP-125 rule 4). */
  readonly incrementalRelayRate: bigint;
  /** Lowest rate ever paid, whatever the node says. */
  readonly feeFloorRate: bigint;
  /** Highest rate ever paid, whatever the node says. */
  readonly feeCapRate: bigint;
  /** Blocks within which a send should confirm. */
  readonly confirmTarget: number;
  readonly knownGood: readonly KnownGood[];
  readonly networks: Readonly<Record<Network, UtxoNetwork>>;
}
