import { outputKey, type ChainAdapter } from '../../../domain/chain.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { StoredSendVersion } from '../../../store/sends/send-versions.ts';
import { rememberInputs } from '../../../store/ledger/unconfirmed-inputs.ts';
import { type ApplyFactsDeps, recordObservations } from '../../payments/index.ts';
import { loadAncestry } from './ancestry.ts';
import { readPlan } from './stored-plan.ts';

/**
 * Records the change of a transaction that a node accepted, as the next mempool poll would: the next send can spend
 * it at once.
 */
export async function recordChangeOutput(
  tx: Tx,
  deps: ApplyFactsDeps,
  {
    adapter,
    send,
    version,
  }: {
    readonly adapter: ChainAdapter;
    readonly send: StoredSend;
    readonly version: StoredSendVersion;
  },
): Promise<void> {
  const { txid, raw, changeIndex: index, planJson } = version;
  if (index === null || send.height !== null) return;
  const { inputs, change, destination, amount } = readPlan(planJson);
  const back = change ?? { address: destination, amount };
  const credit = {
    ref: { txid, index },
    watchKey: adapter.watchKey(back.address),
    amount: back.amount,
    maturity: 1,
    raw,
  };
  const seen = [{ credit, seenAt: deps.clock.now() }];
  await recordObservations(tx, deps, adapter, { seen, gone: [] }, { kind: 'unconfirmed' });
  const ancestry = await loadAncestry(tx, adapter, inputs);
  const known = inputs.map(({ ref }) => ({ ...ref, isParentOpen: ancestry.has(outputKey(ref)) }));
  await rememberInputs(tx, adapter, txid, known);
}
