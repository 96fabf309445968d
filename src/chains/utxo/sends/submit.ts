import {
  type BlockRef,
  type BroadcastResult,
  ChainError,
  type TransactionFate,
  type StoredTransaction,
} from '../../../domain/chain.ts';
import { assertNever } from '../../../domain/errors.ts';
import type { Logger } from '../../../domain/ports.ts';
import {
  type DecodedTransaction,
  isKnownToNode,
  RecentBlocks,
  decodeTransaction,
  transactionStatus,
} from '../mempool/transaction-status.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { classifyRejection, type RejectReason } from './reject-reasons.ts';
import { RpcRefusal } from '../../shared/json-rpc.ts';

const TIP_ATTEMPTS = 3;

/** `final`: a transaction counts as ended only when a block proves it. */
type Proof = 'block' | 'final';

/** Broadcasts transactions and determines their fate. */
export interface Submitter {
  /** See ChainAdapter.broadcast. */
  broadcast(transaction: StoredTransaction): Promise<BroadcastResult>;
  /** See ChainAdapter.recheck. @throws {ChainError} when the node fails. */
  getTransactionStatus(
    transaction: StoredTransaction,
    ledger?: BlockRef,
    proof?: Proof,
  ): Promise<TransactionFate>;
}

type Outcome =
  | { readonly kind: 'held' }
  /** Inputs are spent: `replaced` by an unconfirmed rival that could still lose, or permanently. */
  | { readonly kind: 'replaced' | 'impossible' | 'invalid'; readonly reason: string }
  /** The node does not have it, for a possibly temporary reason (`absent`), or cannot decide (`open`). */
  | { readonly kind: 'absent' | 'open'; readonly reason: string };

export function createSubmitter(client: NodeClient, mweb: boolean, logger: Logger): Submitter {
  const recent = new RecentBlocks(client);

  /** @param ledger if given, only the answer of a backend whose tip is this block counts */
  async function toOutcome(transaction: DecodedTransaction, ledger?: BlockRef): Promise<Outcome> {
    for (let attempt = 0; attempt < TIP_ATTEMPTS; attempt += 1) {
      const { hash: tipBefore } = await client.tip();
      const refusal = await submit(client, transaction.raw);
      if (refusal === null || refusal.meaning === 'known') return { kind: 'held' };
      logger.info({ txid: transaction.txid, ...refusal }, 'node rejected the broadcast of a transaction');
      if (ledger !== undefined && ledger.hash !== tipBefore) continue;
      const outcome = await explain(client, transaction, { ...refusal, tipBefore, recent });
      if (outcome !== 'moved') return outcome;
    }
    return { kind: 'open', reason: 'the node stood on another block at every attempt' };
  }

  async function getTransactionStatus(
    transaction: StoredTransaction,
    ledger?: BlockRef,
    proof: Proof = 'block',
  ): Promise<TransactionFate> {
    const parts = decodeTransaction(transaction, mweb);
    if (parts === null) return (await client.inMempool(transaction.txid)) ? 'present' : 'absent';
    const { kind } = await toOutcome(parts, ledger);
    switch (kind) {
      case 'held':
        return 'present';
      // The conflicting transaction is unconfirmed itself: a miner may still include this one.
      case 'replaced':
        return proof === 'final' ? 'unknown' : 'gone';
      case 'impossible':
        return 'gone';
      case 'invalid':
      case 'absent':
        return 'absent';
      case 'open':
        return 'unknown';
      default:
        return assertNever(kind);
    }
  }

  async function broadcast(transaction: StoredTransaction): Promise<BroadcastResult> {
    try {
      const parts = decodeTransaction(transaction, mweb);
      if (parts === null) return { kind: 'unknown', reason: 'the signed bytes are not at hand' };
      const outcome = await toOutcome(parts);
      return toSubmitResult(outcome);
    } catch (error) {
      if (error instanceof ChainError) return { kind: 'unknown', reason: error.message };
      throw error;
    }
  }

  return { broadcast, getTransactionStatus: getTransactionStatus };
}

function toSubmitResult(outcome: Outcome): BroadcastResult {
  switch (outcome.kind) {
    case 'held':
      return { kind: 'accepted' };
    case 'impossible':
      return { kind: 'rejected', reason: outcome.reason, isSpent: true };
    case 'invalid':
      return { kind: 'rejected', reason: outcome.reason };
    // The conflicting transaction is unconfirmed itself: these bytes may still be mined instead.
    case 'replaced':
    case 'absent':
    case 'open':
      return { kind: 'unknown', reason: outcome.reason };
    default:
      return assertNever(outcome);
  }
}

/** Null when the node accepted it. */
async function submit(
  client: NodeClient,
  raw: string,
): Promise<{ meaning: RejectReason; reason: string } | null> {
  try {
    await client.sendRawTransaction(raw);
    return null;
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    return { meaning: classifyRejection(error), reason: error.reason };
  }
}

async function explain(
  client: NodeClient,
  transaction: DecodedTransaction,
  refusal: { meaning: RejectReason; reason: string; tipBefore: string; recent: RecentBlocks },
): Promise<Outcome | 'moved'> {
  const { meaning, reason } = refusal;
  switch (meaning) {
    case 'known':
      return { kind: 'held' };
    case 'invalid':
      return { kind: 'invalid', reason };
    case 'temporary':
    case 'unclear':
      return (await isKnownToNode(client, transaction)) ? { kind: 'held' } : { kind: 'absent', reason };
    case 'spent':
    case 'replaced': {
      const verdict = await transactionStatus(client, transaction, refusal);
      if (verdict === 'moved') return 'moved';
      if (verdict === 'held') return { kind: 'held' };
      if (verdict === 'open' || verdict === 'absent') return { kind: verdict, reason };
      return { kind: meaning === 'spent' ? 'impossible' : 'replaced', reason };
    }
    default:
      return assertNever(meaning);
  }
}
