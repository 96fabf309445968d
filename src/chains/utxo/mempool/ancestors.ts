import { type Ancestor, ChainError, type OutputRef } from '../../../domain/chain.ts';
import { bytesOfHex } from '../blocks/block.ts';
import { displayHex } from '../blocks/hash256.ts';
import type { MatchTransaction } from '../blocks/match.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { outpointAt, scanLoneTransaction } from '../blocks/transaction.ts';

/** Maximum number of unconfirmed ancestors, above the mempool's own ancestor limit. */
const MAX_ANCESTORS = 64;

/** The ids in the node's mempool. */
export interface Present {
  has(txid: string): boolean;
}

/**
 * Unconfirmed ancestors of a transaction with these inputs. A block that double-spends any of their inputs
 * proves that the transaction can never confirm.
 */
export async function unconfirmedAncestors(
  inputs: readonly OutputRef[],
  from: {
    readonly client: Pick<NodeClient, 'mempoolTransactions'>;
    readonly mweb: boolean;
    readonly present: Present;
  },
): Promise<Ancestor[]> {
  const { client, mweb, present } = from;
  const found = new Map<string, Ancestor>();
  let wanted = listParents(inputs, present);
  while (wanted.length > 0) {
    const raws = await client.mempoolTransactions(wanted);
    const next: string[] = [];
    for (const [at, txid] of wanted.entries()) {
      const raw = raws[at] ?? null;
      const spends = typeof raw !== 'string' ? null : readInputs(txid, raw, mweb);
      if (spends === null) continue;
      found.set(txid, { txid, inputs: spends });
      next.push(...listParents(spends, present));
    }
    wanted = [...new Set(next)].filter((txid) => !found.has(txid)).slice(0, MAX_ANCESTORS - found.size);
  }
  return [...found.values()];
}

function listParents(inputs: readonly OutputRef[], present: Present): string[] {
  const parents = new Set(inputs.map(({ txid }) => txid));
  return [...parents].filter((txid) => present.has(txid)).slice(0, MAX_ANCESTORS);
}

/** Null for an unreadable transaction; its children are still watched. */
function readInputs(txid: string, raw: string, mweb: boolean): OutputRef[] | null {
  try {
    return spentOutpoints(scanMempoolTransaction(txid, raw, mweb));
  } catch (error) {
    if (error instanceof ChainError) return null;
    throw error;
  }
}

/** The outpoints a transaction spends. */
export function spentOutpoints(transaction: MatchTransaction | undefined): OutputRef[] {
  if (transaction === undefined) return [];
  return transaction.scanned.inputs.map((offset) => outpointAt(transaction.bytes, offset));
}

/** @throws {ChainError} bad_answer when the bytes are not this transaction. */
export function scanMempoolTransaction(txid: string, raw: string, mweb: boolean): MatchTransaction {
  const bytes = bytesOfHex(raw);
  const scanned = scanLoneTransaction(bytes, mweb);
  // A pure MWEB transaction is identified by its kernel; it has no inputs or outputs on the main chain.
  const isEmpty = scanned.inputs.length === 0 && scanned.outputs.length === 0;
  if (!isEmpty && displayHex(scanned.id) !== txid) {
    throw new ChainError('bad_answer', `requested transaction ${txid}, got ${displayHex(scanned.id)}`);
  }
  return { bytes, scanned, maturity: 1, relayable: true };
}
