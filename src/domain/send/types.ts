import type { BroadcastResult, TransactionFate } from '../chain.ts';
import type { ChainId } from '../coins.ts';
import type { SendEventType } from '../events.ts';
import type { SendPolicy } from './policy.ts';

/** `queued`: signed, and held until the sends before it have landed; no node has had its bytes. */
export const SEND_STATUSES = ['preparing', 'queued', 'signed', 'broadcast', 'confirmed', 'failed'] as const;
export type SendStatus = (typeof SEND_STATUSES)[number];
/** In the database a queued send is a signed one with a mark. */
export type StoredSendStatus = Exclude<SendStatus, 'queued'>;

/** One signed transaction of a send. All of them share an input or a nonce, or expired one after the other. */
export interface SendVersion {
  readonly version: number;
  readonly txid: string;
  readonly fee: bigint;
  /** Pays everything back to the wallet instead of the destination. */
  readonly cancels: boolean;
}

/** A send as the machine knows it. Everything it decides on is in here or in the fact. */
export interface SendState extends ChainId {
  readonly status: SendStatus;
  /** Oldest first. */
  readonly versions: readonly SendVersion[];
  /** The current version: the one in a block, else the one that the network has as far as that is known; 0: none yet. */
  readonly version: number;
  /** Fee of the current version, or what its block says that it really cost. */
  readonly fee: bigint;
  /** Block that holds the current version, also one that executed it without paying; null: none does. */
  readonly height: number | null;
  /** Block since which no version can be mined as far as the chain shows; null: one can. */
  readonly displacedHeight: number | null;
  readonly error: string | null;
  /** Broadcasts of the current version whose outcome was recorded. */
  readonly broadcasts: number;
  readonly nextBroadcastAt: number | null;
  /** Transaction that the last `send.broadcast` event named. */
  readonly announcedTxid: string | null;
  /** Transaction that the last `send.confirmed` event named; null once the send failed after it. */
  readonly confirmedTxid: string | null;
}

/**
 * What the node and the ledger know about a send whose bytes were refused. Absence is no proof: only the fate `gone`
 * speaks against a version, for a move within the wallet also `unfunded`, and only where node and ledger stand on the
 * same block.
 */
export interface RefusalEvidence {
  /** The node's report by txid. A version without an entry is unknown. */
  readonly fates: ReadonlyMap<string, TransactionFate>;
  /** Where the ledger stands. */
  readonly height: number | null;
  /** Whether the node's report rests on exactly the block that the ledger has read last. */
  readonly isOnLedgerTip: boolean;
  /** Whether a version unknown here, or a block never read, may have paid it. */
  readonly mayBePaidUnseen: boolean;
  /** Whether an input is in no block now but may be mined again, and the send with it. */
  readonly mayGetInputsBack: boolean;
  /** Whether it pays only addresses of the wallet: mined after its failure, it costs no more than its fee. */
  readonly isWithinWallet: boolean;
  /** The newest block of the ledger that the network calls final; null: unknown. */
  readonly finalHeight: number | null;
}

/** What the evidence on a refused send comes to. */
export type Verdict =
  | { readonly kind: 'present'; readonly version: number }
  /** `version`: the one that may still land, null when none may. `why`: the first thing that is missing for a proof. */
  | {
      readonly kind: 'open';
      readonly version: number | null;
      readonly why: 'ledger_differs' | 'version_possible' | 'paid_unseen' | 'inputs_return';
    }
  /** No version can be mined on top of the block that the ledger stands on; so it has been since a height. */
  | {
      readonly kind: 'impossible';
      readonly since: number;
      readonly depth: number;
      /** The balance it draws on does not cover it. */
      readonly isUnfunded: boolean;
      /** Whether no reorganisation is expected to undo that. */
      readonly isLasting: boolean;
    };

/** Things that happen to a send. They may repeat and come in any order. */
export type SendFact =
  /** Its outputs are gathered and its first version is stored. */
  | { readonly type: 'prepared'; readonly policy: SendPolicy }
  /** What it had reserved is not enough any more, before anything that pays it was signed. */
  | { readonly type: 'abandoned'; readonly reason: string }
  /** `neverOffered`: no earlier broadcast of these bytes can have reached any node. */
  | {
      readonly type: 'answered';
      readonly version: number;
      readonly result: BroadcastResult;
      readonly neverOffered: boolean;
      readonly policy: SendPolicy;
    }
  /**
   * A node refused bytes that others may have. `renewal`: whether it was tried to sign the send anew, where
   * transactions expire, and why it was not; `none`: they do not expire.
   */
  | {
      readonly type: 'refused';
      readonly reason: string;
      readonly evidence: RefusalEvidence;
      readonly renewal: 'none' | 'untried' | 'later' | 'impossible';
      readonly policy: SendPolicy;
    }
  /** The newest version was signed in place of the others, which are proven to have expired. */
  | { readonly type: 'renewed' }
  /** The sends before it have landed or ended: it leaves the queue, and its bytes are about to be broadcast. */
  | { readonly type: 'dequeued'; readonly policy: SendPolicy }
  /** The merchant takes it back before any node had its bytes. */
  | { readonly type: 'withdrawn' }
  /** A block holds a version. `fee`: what it really cost, where only the block can tell. */
  | {
      readonly type: 'mined';
      readonly version: number;
      readonly height: number;
      readonly succeeded: boolean;
      readonly fee: bigint | null;
    }
  /**
   * A block spends inputs of these versions by another transaction. `isExamined`: that one is known not to be the
   * payment itself, in a version that is unknown here.
   */
  | {
      readonly type: 'displaced';
      readonly versions: ReadonlySet<number>;
      readonly height: number;
      readonly isExamined: boolean;
    }
  /** The blocks above a height left the chain. */
  | { readonly type: 'rolled_back'; readonly to: number }
  /** Blocks up to this height have the confirmations that a payment of its amount needs. */
  | { readonly type: 'settled'; readonly upTo: number }
  /**
   * Blocks up to this height are too deep for a reorganisation. `conflicts`: by version, the lowest block that spends
   * one of its inputs, or an input of an unconfirmed ancestor, otherwise; one without an entry may land.
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
 * What was decided. `ignore`: the fact says nothing new. `sign`: it has its first version. `accept`: the network has the current version. `retry`: the
 * same bytes again, the coins stay reserved. `wait`: the same, while a proof is missing that no version may land.
 * `switch`: another version is the one that may land. `renew`: the caller
 * signs it anew if it can, and says how that went. `dequeue`: it is to be broadcast now. `confirm`: a block pays. `revert`: a block executed or cancelled it
 * without paying. `displace`: nothing of it can land on this chain. `hold`: it may be paid unseen, and only the
 * operator can tell. `roll_back`: its block, or the one that displaced it, left the chain. `release`: coins that only
 * versions which were not mined had reserved are free. `fail`: it is over, all its coins are free.
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
  /** The send after it; the same object when nothing changed. */
  readonly send: SendState;
  readonly event: SendEventType | null;
  /** Versions that cannot be mined on this chain: their change does not exist. */
  readonly dead: readonly number[];
}
