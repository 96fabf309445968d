import {
  outputKey,
  type BlockRef,
  type BroadcastResult,
  ChainError,
  type TransactionFate,
  type StoredTransaction,
} from '../../../domain/chain.ts';
import { assertNever } from '../../../domain/errors.ts';
import type { Logger } from '../../../domain/ports.ts';
import { type BalanceCredit, parseBalanceCreditTxid } from '../accounts/balance-credit.ts';
import { finalBlock } from '../blocks/final-block.ts';
import { nonceRef } from './nonce-ref.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { readSigned } from './raw-transaction.ts';
import { classifyRejection } from './reject-reasons.ts';
import { RpcRefusal } from '../../shared/json-rpc.ts';

/** Which block has to use a nonce before the other transactions with it count as gone. */
type Proof = 'block' | 'final';

/** Broadcasts transactions and determines their fate. */
export interface Submitter {
  /** See ChainAdapter.broadcast. */
  broadcast(transaction: StoredTransaction): Promise<BroadcastResult>;
  /** See ChainAdapter.recheck. @throws {ChainError} on a node failure. */
  getTransactionStatus(
    transaction: StoredTransaction,
    ledger?: BlockRef,
    proof?: Proof,
  ): Promise<TransactionFate>;
  /** Records the pending transactions, by sender and nonce. */
  saw(byNonce: ReadonlyMap<string, string>): void;
}

/** `reverted`: mined without paying. `replaced`: by another pending transaction, which may still lose. */
type Weight = 'mined' | 'reverted' | 'waiting' | 'replaced' | 'gone' | 'absent' | 'unproven';

interface SubmitDeps {
  readonly client: NodeClient;
  readonly logger: Logger;
  /** Whether an account's balance was read at or above this height, on the branch that the ledger follows. */
  readonly wasRead: (watchKey: string, height: number) => boolean;
  /** Pending transactions by sender and nonce. */
  waiting: ReadonlyMap<string, string>;
}

export function createSubmitter(deps: Pick<SubmitDeps, 'client' | 'logger' | 'wasRead'>): Submitter {
  const allDeps: SubmitDeps = { ...deps, waiting: new Map() };
  return {
    broadcast: (transaction) => broadcast(allDeps, transaction),
    getTransactionStatus: (transaction, ledger, proof) =>
      getTransactionStatus(allDeps, transaction, ledger, proof),
    saw: (byNonce) => {
      allDeps.waiting = byNonce;
    },
  };
}

/**
 * Reads everything in one request, at a block that the answering backend is proven to know. Behind a load
 * balancer that splits requests, one backend may show the nonce as used while another lacks the block that
 * used it. Therefore nonces are read at the ledger's block, if any; none of the ledger's blocks contains this
 * transaction.
 */
async function transactionStatus(
  { client, waiting }: SubmitDeps,
  { txid, raw }: StoredTransaction,
  ledger: BlockRef | undefined,
  proof: Proof,
): Promise<Weight> {
  const { height, hash } = ledger ?? (await newest(client));
  const signed = readSigned(txid, raw);
  const sender = signed?.from?.toLowerCase() ?? null;
  const state = await client.accountState(txid, sender, { height, hash });
  const { receipt, used } = state;
  if (receipt?.status === 1) return 'mined';
  if (receipt === null && state.isKnown) return 'waiting';
  // A backend that does not know the tip may answer for another branch.
  if (!state.knowsTip) return 'unproven';
  if (receipt !== null) return 'reverted';
  if (signed === null || sender === null) return 'absent';
  if (used !== null && used > signed.nonce) {
    const isProven = proof === 'block' || (await isUsedForGood(client, sender, signed.nonce));
    return isProven ? 'gone' : 'unproven';
  }
  const rival = waiting.get(outputKey(nonceRef({ from: sender, nonce: signed.nonce })));
  return rival !== undefined && rival !== txid ? 'replaced' : 'absent';
}

/** Whether a nonce is used as of the final block: until then a reorg may include the other transaction. */
async function isUsedForGood(client: NodeClient, sender: string, nonce: number): Promise<boolean> {
  const final = await finalBlock(client);
  const used = final === null ? null : await client.nonceAt(sender, final.hash);
  return used !== null && used > nonce;
}

async function newest(client: NodeClient): Promise<BlockRef> {
  const { number: height, hash } = await client.tip();
  return { height, hash };
}

async function getTransactionStatus(
  deps: SubmitDeps,
  transaction: StoredTransaction,
  ledger?: BlockRef,
  proof: Proof = 'block',
): Promise<TransactionFate> {
  const found = parseBalanceCreditTxid(transaction.txid);
  if (found !== null) return fateOfBalance(deps, found);
  const weight = await transactionStatus(deps, transaction, ledger, proof);
  switch (weight) {
    case 'gone':
      return 'gone';
    // The pending replacement may still lose, and the block of the failed transaction may leave the chain.
    case 'reverted':
    case 'replaced':
      return proof === 'final' ? 'unknown' : 'gone';
    case 'mined':
    case 'waiting':
      return 'present';
    case 'unproven':
      return 'unknown';
    case 'absent': {
      const fate = await rebroadcast(deps, transaction);
      if (fate !== 'absent' || proof !== 'final' || ledger === undefined) return fate;
      return (await isUnfunded(deps, transaction, ledger)) ? 'unfunded' : 'absent';
    }
    default:
      return assertNever(weight);
  }
}

/** Rebroadcasts a transaction. @throws {ChainError} when the node does not answer: its fate is then unknown. */
async function rebroadcast(deps: SubmitDeps, transaction: StoredTransaction): Promise<TransactionFate> {
  const { txid, raw } = transaction;
  if (raw === null || readSigned(txid, raw) === null) return 'absent';
  try {
    return (await deps.client.sendRawTransaction(raw)) === txid ? 'present' : 'absent';
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    return (await explain(deps, transaction, error)).kind === 'accepted' ? 'present' : 'absent';
  }
}

/** Whether a transaction's nonce is unused as of a block whose balance of the sender does not cover it. */
async function isUnfunded(
  { client }: SubmitDeps,
  { txid, raw }: StoredTransaction,
  { hash }: BlockRef,
): Promise<boolean> {
  const signed = readSigned(txid, raw);
  const sender = signed?.from?.toLowerCase();
  const price = signed?.maxFeePerGas ?? signed?.gasPrice ?? null;
  if (signed === null || sender === undefined || price === null) return false;
  const used = await client.nonceAt(sender, hash);
  if (used === null || used > signed.nonce) return false;
  const balance = await client.balanceAlone(sender, hash);
  return typeof balance === 'bigint' && balance < signed.value + signed.gasLimit * price;
}

async function broadcast(deps: SubmitDeps, transaction: StoredTransaction): Promise<BroadcastResult> {
  const { txid, raw } = transaction;
  if (raw === null || readSigned(txid, raw) === null) {
    return { kind: 'unknown', reason: 'the signed bytes are not at hand' };
  }
  try {
    const answered = await deps.client.sendRawTransaction(raw);
    if (answered === txid) return { kind: 'accepted' };
    return { kind: 'unknown', reason: `the node took it for ${answered}` };
  } catch (error) {
    if (error instanceof RpcRefusal) return explain(deps, transaction, error);
    if (error instanceof ChainError) return { kind: 'unknown', reason: error.message };
    throw error;
  }
}

async function explain(
  deps: SubmitDeps,
  transaction: StoredTransaction,
  refusal: RpcRefusal,
): Promise<BroadcastResult> {
  const { reason } = refusal;
  const meaning = classifyRejection(refusal);
  if (meaning === 'known') return { kind: 'accepted' };
  deps.logger.info(
    { coin: 'ETH', txid: transaction.txid, meaning, reason },
    'node rejected the broadcast of a transaction',
  );
  if (meaning === 'invalid' || meaning === 'unpaid') return { kind: 'rejected', reason };
  if (meaning === 'open') return { kind: 'unknown', reason };
  try {
    const weight = await transactionStatus(deps, transaction, undefined, 'final');
    // These same bytes may have used the nonce, because this broadcast may be a repeat.
    if (weight === 'gone') return { kind: 'rejected', reason, isExpired: true };
    const isHeld = weight === 'mined' || weight === 'reverted' || weight === 'waiting';
    return isHeld ? { kind: 'accepted' } : { kind: 'unknown', reason };
  } catch (error) {
    if (error instanceof ChainError) return { kind: 'unknown', reason: error.message };
    throw error;
  }
}

/**
 * The fate of money that only a balance revealed. It is gone when its block leaves the chain and the account
 * was read without it: until then it may still exist, and gets another id in a later block.
 */
async function fateOfBalance(
  { client, wasRead }: SubmitDeps,
  { height, blockHash, watchKey }: BalanceCredit,
): Promise<TransactionFate> {
  const header = await client.headerAt(height);
  if (header === null) return 'unknown';
  if (header.hash === blockHash) return 'present';
  return wasRead(watchKey, height) ? 'gone' : 'unknown';
}
