import type { ChainAdapter, Fate } from '../../domain/chain.ts';
import type { Tx } from '../../store/database.ts';
import {
  findSend,
  updateSend,
  versionsOf,
  type StoredSend,
  type StoredSendVersion,
} from '../../store/sends.ts';
import { failSend } from './fail-send.ts';
import { recordAnswer, type RecordAnswerDeps } from './record-answer.ts';

/** What became of each version, by txid. */
export type Fates = ReadonlyMap<string, Fate>;

/** Asks the chain about every version of a send; without an answer nothing is known. Waits for the network. */
export async function askFates(
  adapter: ChainAdapter,
  versions: readonly StoredSendVersion[],
): Promise<Fates> {
  try {
    return await adapter.recheck(versions.map(({ txid, raw }) => ({ txid, raw })));
  } catch {
    return new Map();
  }
}

/**
 * Decides about a send whose bytes were refused although an earlier offer may have reached the
 * network: a version the network knows is the send; only when every version is proven impossible
 * does it fail; without proof its coins stay reserved and it is offered again.
 */
export async function resolveRefusal(
  tx: Tx,
  deps: RecordAnswerDeps,
  refused: {
    readonly sendId: string;
    readonly version: number;
    readonly reason: string;
    readonly fates: Fates;
  },
): Promise<StoredSend> {
  const { sendId, fates, reason } = refused;
  const send = await findSend(tx, sendId);
  if (send === undefined) throw new Error(`send ${sendId} is missing`);
  if (send.status === 'confirmed' || send.status === 'failed') return send;
  const versions = await versionsOf(tx, sendId);
  const fateOf = (version: StoredSendVersion) => fates.get(version.txid) ?? 'unknown';
  const present = versions.filter((version) => fateOf(version) === 'present').at(-1);
  if (present !== undefined) {
    await makeCurrent(tx, deps, send, present);
    const { version } = present;
    return recordAnswer(tx, deps, { sendId, version, result: { kind: 'accepted' }, neverOffered: false });
  }
  const possible = versions.filter((version) => fateOf(version) !== 'gone').at(-1);
  if (possible === undefined) return failSend(tx, deps, send, reason);
  deps.logger.error(
    { sendId, coin: send.coin, mode: send.mode, txid: send.txid, reason },
    'the node refuses a send that may be known elsewhere: its coins stay reserved',
  );
  await makeCurrent(tx, deps, send, possible);
  const { version } = possible;
  return recordAnswer(tx, deps, {
    sendId,
    version,
    result: { kind: 'unknown', reason },
    neverOffered: false,
  });
}

async function makeCurrent(
  tx: Tx,
  deps: RecordAnswerDeps,
  send: StoredSend,
  to: StoredSendVersion,
): Promise<void> {
  if (send.version === to.version) return;
  const { version, txid, fee } = to;
  await updateSend(tx, send.id, { version, txid, fee }, deps.clock.now());
}
