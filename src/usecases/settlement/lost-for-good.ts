import type { ChainId } from '../../domain/coins.ts';
import { MAX_ANCESTORS } from '../../domain/send/package-fee.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findVersionByTxid, type StoredSendVersion } from '../../store/sends/send-versions.ts';
import { minedSpendsOf } from '../../store/ledger/spends.ts';
import { readPlan } from './stored-plan.ts';

/**
 * Whether no version of a send can ever be mined: for each, a block at or below `buried` holds a conflicting spend of
 * one of its inputs, or of an input of an unconfirmed ancestor. Only a deeper reorganisation could revert that.
 * Proves nothing where a send draws on accounts instead of outputs.
 */
export async function areLostForGood(
  db: Db,
  chain: ChainId,
  versions: readonly Pick<StoredSendVersion, 'txid'>[],
  buried: number,
): Promise<boolean> {
  for (const { txid } of versions) {
    if (!(await isLostForGood(db, chain, { txid, buried, depth: 0 }))) return false;
  }
  return versions.length > 0;
}

async function isLostForGood(
  db: Db,
  chain: ChainId,
  of: { readonly txid: string; readonly buried: number; readonly depth: number },
): Promise<boolean> {
  const { txid, buried, depth } = of;
  const version = depth > MAX_ANCESTORS ? undefined : await findVersionByTxid(db, chain, txid);
  if (version === undefined) return false;
  const plan = readPlan(version.plan_json);
  if (plan.account !== undefined) return false;
  const inputs = plan.inputs.map(({ ref }) => ref);
  const mined = new Map(
    (await minedSpendsOf(db, chain, inputs)).map((spend) => [`${spend.ref.txid}:${spend.ref.index}`, spend]),
  );
  for (const ref of inputs) {
    const spend = mined.get(`${ref.txid}:${ref.index}`);
    if (spend !== undefined && spend.byTxid !== txid && spend.height <= buried) return true;
  }
  for (const parent of new Set(inputs.map((ref) => ref.txid))) {
    if (await isLostForGood(db, chain, { txid: parent, buried, depth: depth + 1 })) return true;
  }
  return false;
}
