/** What the network may take for sends, computed from the signed versions alone. */
import type { Db } from '../../src/store/sqlite/database.ts';
import type { StoredSend } from '../../src/store/sends/sends.ts';
import { readPlan } from '../../src/usecases/wallet/lifecycle/stored-plan.ts';

export interface SignedFee {
  /** Atoms. */
  readonly fee: bigint;
  /** Atoms per 1,000 units of size. */
  readonly feeRate: bigint;
}

interface Version extends SignedFee {
  readonly txid: string;
  readonly sendId: string;
  readonly spends: readonly string[];
}

export interface SpentBudget {
  readonly send: StoredSend;
  readonly versions: readonly Version[];
  /** The most that can be mined of it together with what draws on its budget and with its parts, atoms. */
  readonly worst: bigint;
}

/** Every send with the dearest outcome that its versions, and those of what draws on its budget, allow. */
export async function spentBudgets(db: Db): Promise<SpentBudget[]> {
  const sends = await db.selectFrom('sends').selectAll().execute();
  const rows = await db.selectFrom('send_versions').selectAll().execute();
  const versions = rows.map((row): Version => ({
    txid: row.txid,
    sendId: row.sendId,
    fee: BigInt(row.fee),
    feeRate: BigInt(row.feeRate),
    spends: readPlan(row.planJson).inputs.map(({ ref }) => ref.txid),
  }));
  const byTxid = new Map(versions.map((version) => [version.txid, version]));
  /** Whether a version can only be mined together with a transaction. */
  const needs = ({ spends }: Version, txid: string): boolean =>
    spends.some((spent) => {
      const parent = byTxid.get(spent);
      return spent === txid || (parent !== undefined && needs(parent, txid));
    });
  const worstOf = (send: StoredSend, isPossible: (version: Version) => boolean): bigint => {
    const own = versions.filter((version) => version.sendId === send.id && isPossible(version));
    return own.reduce((most, version) => {
      const together = sends
        .filter((other) => other.partOf === null && other.drawsOn === send.id && other.status !== 'failed')
        .reduce((sum, other) => sum + worstOf(other, (each) => needs(each, version.txid)), version.fee);
      return together > most ? together : most;
    }, 0n);
  };
  // Parts are mined whichever version of their send is, and whatever becomes of that.
  const partsOf = (send: StoredSend): bigint =>
    sends
      .filter((part) => part.partOf === send.id && part.status !== 'failed')
      .reduce((sum, part) => sum + worstOf(part, () => true), 0n);
  return sends.map((send) => ({
    send,
    versions: versions.filter(({ sendId }) => sendId === send.id),
    worst: worstOf(send, () => true) + partsOf(send),
  }));
}
