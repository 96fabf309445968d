import type { BroadcastResult, TransactionFate } from '../chain.ts';
import type { ChainId } from '../coins.ts';
import type { SendEventType } from '../events.ts';
import type { SendPolicy } from './policy.ts';

/**
 * `queued`: signed, and held until the sends before it are executed; no node has had its bytes. `awaiting_signature`:
 * from a watched account, whose wallet has to sign it.
 */
export const SEND_STATUSES = [
  'preparing',
  'awaiting_signature',
  'queued',
  'signed',
  'broadcast',
  'confirmed',
  'failed',
] as const;
export type SendStatus = (typeof SEND_STATUSES)[number];
/** Why a send was made without an order. */
export const SEND_REASONS = ['forward'] as const;
export type SendReason = (typeof SEND_REASONS)[number];
/** In the database a queued send is a signed one with a flag, and one that awaits its signature a preparing one. */
export type StoredSendStatus = Exclude<SendStatus, 'queued' | 'awaiting_signature'>;

/**
 * One signed transaction of a send. Versions share an input or a nonce, or each was signed after the previous
 * one expired.
 */
export interface SendVersion {
  readonly version: number;
  readonly txid: string;
  readonly fee: bigint;
  /** Returns everything to the wallet instead of the destination. */
  readonly cancels: boolean;
}

/** State of the send machine. It decides only on this state and the fact. */
export interface SendState extends ChainId {
  readonly status: SendStatus;
  /** Oldest first. */
  readonly versions: readonly SendVersion[];
  /**
   * The current version: the one in a block, or else the one that the network is known to have; 0: none yet.
   */
  readonly version: number;
  /** Fee of the current version, or the actual cost according to its block. */
  readonly fee: bigint;
  /** Block of the current version, including one that executed it without paying; null without one. */
  readonly height: number | null;
  /** Block since which the chain shows that no version can be mined; null: one can. */
  readonly displacedHeight: number | null;
  readonly error: string | null;
  /** Number of broadcasts of the current version with a recorded outcome. */
  readonly broadcasts: number;
  readonly nextBroadcastAt: number | null;
  /** Transaction that the last `send.broadcast` event named. */
  readonly announcedTxid: string | null;
  /** Transaction that the last `send.confirmed` event named; null once the send failed after it. */
  readonly confirmedTxid: string | null;
}

/**
 * Evidence from the node and the ledger on a send whose bytes were refused. Absence is not a proof: only the
 * fate `gone` counts against a version, for a transfer within the wallet also `unfunded`, and only if node
 * and ledger are at the same block.
 */
export interface RejectionEvidence {
  /** The node's report by txid. A version without an entry is unknown. */
  readonly fates: ReadonlyMap<string, TransactionFate>;
  /** Height of the ledger. */
  readonly height: number | null;
  /** Whether the node's report refers to exactly the last block of the ledger. */
  readonly isOnLedgerTip: boolean;
  /** Whether a version unknown here, or a block that was never read, may have paid it. */
  readonly isPossiblyPaid: boolean;
  /** Whether an input is currently unconfirmed but may be mined again, and the send with it. */
  readonly mayGetInputsBack: boolean;
  /** Whether it pays only addresses of the wallet: if it is mined after its failure, it costs only its fee. */
  readonly isWithinWallet: boolean;
  /** The newest block of the ledger that the network calls final; null: unknown. */
  readonly finalHeight: number | null;
}

/** The result of the evidence on a refused send. */
export type Verdict =
  | { readonly kind: 'present'; readonly version: number }
  /**
   * `version`: the one that may still be mined, null if none may. `why`: the first missing condition of a
   * proof.
   */
  | {
      readonly kind: 'open';
      readonly version: number | null;
      readonly why: 'ledger_differs' | 'version_possible' | 'paid_unseen' | 'inputs_return';
    }
  /** No version can be mined on top of the ledger's block; that is true since a height. */
  | {
      readonly kind: 'impossible';
      readonly since: number;
      readonly depth: number;
      /** The balance does not cover it. */
      readonly isUnfunded: boolean;
      /** Whether no reorganisation is expected to undo that. */
      readonly isLasting: boolean;
    };

/** Facts about a send. They may repeat and come in any order. */
export type SendFact =
  /** Its outputs are gathered, or its signatures complete, and its first version is stored. */
  | { readonly type: 'prepared'; readonly policy: SendPolicy }
  /** Its reserved money no longer covers it, and no transaction that pays it was signed. */
  | { readonly type: 'abandoned'; readonly reason: string }
  /** `neverOffered`: no earlier broadcast of these bytes can have reached a node. */
  | {
      readonly type: 'answered';
      readonly version: number;
      readonly result: BroadcastResult;
      readonly neverOffered: boolean;
      readonly policy: SendPolicy;
    }
  /**
   * A node refused bytes that others may have. `renewal`: where transactions expire, whether the send was
   * signed again, and otherwise the reason; `none`: they do not expire.
   */
  | {
      readonly type: 'refused';
      readonly reason: string;
      readonly evidence: RejectionEvidence;
      readonly renewal: 'none' | 'untried' | 'later' | 'impossible';
      readonly policy: SendPolicy;
    }
  /** The newest version replaces the others, which are proven to have expired. */
  | { readonly type: 'renewed' }
  /**
   * The sends before it are executed or ended: it leaves the queue, and its bytes are about to be broadcast.
   */
  | { readonly type: 'dequeued'; readonly policy: SendPolicy }
  /** The merchant withdraws it before a node has had its bytes. */
  | { readonly type: 'withdrawn' }
  /** A block contains a version. `fee`: its actual cost, where only the block shows it. */
  | {
      readonly type: 'mined';
      readonly version: number;
      readonly height: number;
      readonly succeeded: boolean;
      readonly fee: bigint | null;
    }
  /**
   * A block spends inputs of these versions by another transaction. `isExamined`: that one is known not to be
   * an unknown version of the payment itself.
   */
  | {
      readonly type: 'displaced';
      readonly versions: ReadonlySet<number>;
      readonly height: number;
      readonly isExamined: boolean;
    }
  /** Blocks above a height were rolled back. */
  | { readonly type: 'rolled_back'; readonly to: number }
  /** Blocks up to this height have the confirmations that a payment of this amount needs. */
  | { readonly type: 'settled'; readonly upTo: number }
  /**
   * Blocks up to this height are too deep for a reorg. `conflicts`: by version, the lowest block that spends
   * one of its inputs, or an input of an unconfirmed ancestor, in another transaction; a version without an
   * entry may still be mined.
   */
  | {
      readonly type: 'orphaned';
      readonly upTo: number;
      readonly conflicts: ReadonlyMap<number, number>;
      readonly isExamined: boolean;
    }
  /** As above, for the block that confirmed it. */
  | { readonly type: 'buried'; readonly upTo: number };

/**
 * The decision. `ignore`: the fact changes nothing. `sign`: it has its first version. `accept`: the network
 * has the current version. `retry`: broadcast the same bytes again; the coins stay reserved. `wait`: the
 * same, while there is no proof that no version can be mined. `switch`: another version may be mined instead.
 * `renew`: the caller signs it again if possible, and reports the result. `dequeue`: broadcast it now.
 * `confirm`: a block pays. `revert`: a block executed or cancelled it without paying. `displace`: none of its
 * versions can be mined on this chain. `hold`: an undetected transaction may have paid it, and only the operator can
 * decide. `roll_back`: its block, or the displacing one, left the chain. `release`: coins that only unmined
 * versions had reserved are free. `fail`: it has failed, and all its coins are free.
 */
export type SendAction =
  | 'ignore'
  | 'sign'
  | 'accept'
  | 'retry'
  | 'wait'
  | 'switch'
  | 'renew'
  | 'dequeue'
  | 'confirm'
  | 'revert'
  | 'displace'
  | 'hold'
  | 'roll_back'
  | 'release'
  | 'fail';

export interface Decision {
  readonly action: SendAction;
  /** The send after the fact; the same object if nothing changed. */
  readonly send: SendState;
  readonly event: SendEventType | null;
  /** Versions that cannot be mined on this chain: their change does not exist. */
  readonly dead: readonly number[];
}
