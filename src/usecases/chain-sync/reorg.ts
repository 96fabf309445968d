import { outputKey, type BlockRef, type ChainAdapter } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { PaymentFact } from '../../domain/payment/types.ts';
import { findCursor, rewindCursor } from '../../store/chain/chain-cursors.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { outputsAbove, upsertOutput } from '../../store/ledger/outputs.ts';
import { forgetConflictsAbove, storedTransactions } from '../../store/ledger/raw-transactions.ts';
import { rememberInputs } from '../../store/ledger/unconfirmed-inputs.ts';
import { recordMovements } from '../accounting/index.ts';
import { applyFacts } from '../payments/index.ts';
import { unconfirmSends } from '../wallet/index.ts';
import type { ObserveDeps } from './observe-deps.ts';

type RewoundChain = Pick<ChainAdapter, 'coin' | 'mode' | 'inputsOf'>;

/**
 * Rewinds to the fork point of a reorg: everything confirmed above it becomes unconfirmed, in the same transaction as
 * the cursor. The new blocks and the mempool decide whether it is gone for good.
 */
export async function rollBackReorg(deps: ObserveDeps, adapter: RewoundChain, to: BlockRef): Promise<void> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  await deps.db.transaction(async (tx) => {
    const cursor = await findCursor(tx, chain);
    if (cursor === undefined || cursor.height <= to.height) return;
    deps.logger.warn(
      { ...chain, from: cursor, to, depth: cursor.height - to.height },
      'chain reorganised; the ledger is rewound to the fork',
    );
    const now = deps.clock.now();
    await rewindCursor(tx, chain, to, now);
    await watchInputsAbove(tx, adapter, to.height);
    await rewindAbove(tx, deps, chain, to.height);
  });
  deps.wakeWebhooks();
}

/**
 * Watches the inputs of transactions above a height, because only another spend of them in a block proves
 * that a transaction is gone.
 */
async function watchInputsAbove(tx: Tx, adapter: RewoundChain, height: number): Promise<void> {
  if (adapter.inputsOf === undefined) return;
  const txids = new Set((await outputsAbove(tx, adapter, height)).map(({ txid }) => txid));
  for (const { txid, raw } of await storedTransactions(tx, adapter, [...txids])) {
    if (raw === null) continue;
    const inputs = adapter.inputsOf(raw).map((ref) => ({ ...ref, isParentOpen: false }));
    await rememberInputs(tx, adapter, txid, inputs);
  }
}

/** Unconfirms everything that blocks above a height confirmed. */
export async function rewindAbove(tx: Tx, deps: ObserveDeps, chain: ChainId, height: number): Promise<void> {
  const now = deps.clock.now();
  const moved = new Set(await unconfirmSends(tx, deps, chain, height));
  await forgetConflictsAbove(tx, chain, height);
  const facts = new Map<string, PaymentFact[]>();
  for (const output of await outputsAbove(tx, chain, height)) {
    const ref = { txid: output.txid, index: output.vout };
    moved.add(output.txid);
    if (output.paymentId !== null) {
      const paymentFacts = facts.get(output.paymentId) ?? [];
      paymentFacts.push({ type: 'output_unconfirmed', ref });
      facts.set(output.paymentId, paymentFacts);
    } else {
      deps.logger.info(
        { ...chain, output: outputKey(ref) },
        'output of the wallet (change or a transfer without a payment) is unconfirmed again after a reorg',
      );
      await upsertOutput(tx, {
        ...output,
        state: 'unconfirmed',
        height: null,
        blockHash: null,
        updatedAt: now,
      });
    }
  }
  for (const [paymentId, paymentFacts] of facts) await applyFacts(tx, deps, paymentId, paymentFacts);
  await recordMovements(tx, deps, chain, moved);
}
