import { outputKey } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import { MAX_ANCESTORS } from '../../../domain/send/package-fee.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { findVersionByTxid, type StoredSendVersion } from '../../../store/sends/send-versions.ts';
import { filterMinedSpends } from '../../../store/ledger/spends.ts';
import { readPlan } from './stored-plan.ts';

/**
 * For each version of a send, the lowest block with a conflicting spend of one of its inputs, or of an input of an
 * unconfirmed ancestor: unless that block leaves the chain, the version can never be mined. Versions without one have
 * no entry, nor do those that draw on accounts instead of outputs.
 */
export async function findConflicts(
  db: Db,
  chain: ChainId,
  versions: readonly Pick<StoredSendVersion, 'version' | 'txid'>[],
): Promise<ReadonlyMap<number, number>> {
  const conflicts = new Map<number, number>();
  for (const { version, txid } of versions) {
    const height = await findConflict(db, chain, txid, 0);
    if (height !== null) conflicts.set(version, height);
  }
  return conflicts;
}

async function findConflict(db: Db, chain: ChainId, txid: string, depth: number): Promise<number | null> {
  const version = depth > MAX_ANCESTORS ? undefined : await findVersionByTxid(db, chain, txid);
  if (version === undefined) return null;
  const plan = readPlan(version.planJson);
  if (plan.account !== undefined) return null;
  const inputs = plan.inputs.map(({ ref }) => ref);
  const wanted = new Set(inputs.map(outputKey));
  const mined = (await filterMinedSpends(db, chain, inputs)).filter(({ ref }) => wanted.has(outputKey(ref)));
  // It is in a block itself, and so are its ancestors.
  if (mined.some(({ byTxid }) => byTxid === txid)) return null;
  const heights = mined.map(({ height }) => height);
  for (const parent of new Set(inputs.map((ref) => ref.txid))) {
    const height = await findConflict(db, chain, parent, depth + 1);
    if (height !== null) heights.push(height);
  }
  return heights.length === 0 ? null : Math.min(...heights);
}
