/** A network that may have one send, and a ledger that reads it: facts about the send that are true. */
import type { BroadcastResult, TransactionFate } from '../../src/domain/chain.ts';
import { assertNever } from '../../src/domain/errors.ts';
import { awaitsBlock } from '../../src/domain/send/send-status.ts';
import type { SendPolicy } from '../../src/domain/send/policy.ts';
import type { SendFact, SendState } from '../../src/domain/send/types.ts';

/** What a block holds of interest: a version of the send, a stranger's spend of its coins, or neither. */
type Block = { readonly version: number; readonly succeeded: boolean } | 'stranger' | 'empty';

export type Turn =
  | {
      readonly kind: 'offer';
      readonly version: number;
      readonly answer: 'heard' | 'lost' | 'refused' | 'busy';
    }
  | { readonly kind: 'mine'; readonly version: number; readonly succeeded: boolean }
  | { readonly kind: 'steal' | 'wait' | 'look' | 'read' | 'raise' }
  | { readonly kind: 'fork'; readonly depth: number };

/**
 * At most one block of a chain spends the coins of the send, and none with `policy.surplusDepth` blocks on it, itself
 * included, leaves the chain.
 */
export class SendWorld {
  readonly #policy: SendPolicy;
  readonly #versions: SendState['versions'];
  /** The node's chain; the block at index 0 has height 1. */
  #chain: Block[] = [];
  /** How much of the node's chain the ledger has read. */
  #read = 0;
  #stored = 1;
  readonly #offered = new Set<number>();
  /** Versions that a node may have, and that may be mined therefore. */
  readonly outside = new Set<number>();

  /** @param versions all that may be signed; the first one is signed at the start */
  constructor(policy: SendPolicy, versions: SendState['versions']) {
    this.#policy = policy;
    this.#versions = versions;
  }

  /** The version that the node's chain holds, and whether that one paid. */
  get mined(): { readonly version: number; readonly succeeded: boolean } | null {
    return this.#chain.find((block) => typeof block === 'object') ?? null;
  }

  /** What the ledger, as far as it has read, says of the send. */
  get known(): { readonly height: number; readonly block: Block } | null {
    const at = this.#chain.slice(0, this.#read).findIndex((block) => block !== 'empty');
    return at === -1 ? null : { height: at + 1, block: this.#chain[at]! };
  }

  get isRead(): boolean {
    return this.#read === this.#chain.length;
  }

  /** Plays one turn. Answers the facts that come of it, for the send as it is with all versions stored so far. */
  play(send: SendState, turn: Turn): SendFact[] {
    switch (turn.kind) {
      case 'offer':
        // The daemon offers nothing of a send that has ended or is in a block.
        return awaitsBlock(send) ? this.#offer(turn.version, turn.answer) : [];
      case 'mine': {
        const isPossible = this.outside.has(turn.version) && this.#isFree();
        this.#chain.push(isPossible ? { version: turn.version, succeeded: turn.succeeded } : 'empty');
        return [];
      }
      case 'steal':
        this.#chain.push(this.#isFree() ? 'stranger' : 'empty');
        return [];
      case 'wait':
        this.#chain.push('empty');
        return [];
      case 'raise':
        this.#stored = Math.min(this.#stored + 1, this.#versions.length);
        return [];
      case 'fork':
        return this.#fork(turn.depth);
      case 'read':
        return this.#readBlock(send);
      case 'look':
        return this.#look(send);
      default:
        return assertNever(turn);
    }
  }

  /** The send as stored: only the versions that were signed so far. */
  stored(send: SendState): SendState {
    return { ...send, versions: this.#versions.slice(0, this.#stored) };
  }

  #isFree(): boolean {
    return this.#chain.every((block) => block === 'empty');
  }

  #offer(version: number, answer: 'heard' | 'lost' | 'refused' | 'busy'): SendFact[] {
    if (version > this.#stored) return [];
    const neverOffered = !this.#offered.has(version);
    this.#offered.add(version);
    const result: BroadcastResult =
      answer === 'refused' || !this.#isFree()
        ? { kind: 'rejected', reason: 'refused' }
        : answer === 'heard'
          ? { kind: 'accepted' }
          : { kind: 'unknown', reason: answer };
    // A node that rejected the first broadcast does not have the bytes, and no other node has them.
    if (result.kind !== 'rejected') this.outside.add(version);
    return [{ type: 'answered', version, result, neverOffered, policy: this.#policy }];
  }

  #fork(depth: number): SendFact[] {
    const kept = Math.max(this.#chain.length - Math.min(depth, this.#policy.surplusDepth - 1), 0);
    const isNoticed = this.#read > kept;
    this.#chain = this.#chain.slice(0, kept);
    this.#read = Math.min(this.#read, kept);
    return isNoticed ? [{ type: 'rolled_back', to: kept }] : [];
  }

  #readBlock(send: SendState): SendFact[] {
    const block = this.#chain[this.#read];
    if (block === undefined) return [];
    this.#read += 1;
    const height = this.#read;
    if (block === 'empty') return [];
    if (block !== 'stranger') return [{ type: 'mined', ...block, height, fee: null }];
    const versions = new Set(send.versions.map(({ version }) => version));
    return [{ type: 'displaced', versions, height, isExamined: true }];
  }

  /** What the node says of a send that it refuses, and what is deep by now. */
  #look(send: SendState): SendFact[] {
    const isFree = this.#isFree();
    const fateOf = (version: number): TransactionFate => {
      if (this.mined?.version === version) return 'present';
      return isFree ? 'absent' : 'gone';
    };
    const upTo = this.#read - this.#policy.surplusDepth + 1;
    const { known } = this;
    const conflicts = new Map<number, number>();
    if (known?.block === 'stranger')
      for (const { version } of send.versions) conflicts.set(version, known.height);
    const evidence = {
      fates: new Map(send.versions.map(({ version, txid }) => [txid, fateOf(version)])),
      height: this.#read,
      isOnLedgerTip: this.isRead,
      isPossiblyPaid: false,
      mayGetInputsBack: false,
      isWithinWallet: false,
      finalHeight: null,
    };
    return [
      { type: 'settled', upTo },
      { type: 'orphaned', upTo, conflicts, isExamined: true },
      { type: 'buried', upTo },
      { type: 'refused', reason: 'refused', evidence, renewal: 'none', policy: this.#policy },
    ];
  }
}
