import type { ChainAdapter } from '../../../domain/chain.ts';
import { assertNever } from '../../../domain/errors.ts';
import type { Clock } from '../../../domain/ports.ts';
import { isReverted } from '../../../domain/send/send-status.ts';
import { assessRejection } from '../../../domain/send/assess-rejection.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { findSend, type StoredSend } from '../../../store/sends/sends.ts';
import { oldestOpenSends, preparingSends, unsignedSends } from '../../../store/sends/open-sends.ts';
import { findPsbt } from '../../../store/sends/send-psbts.ts';
import { sendStatus } from '../../../store/sends/send-status.ts';
import { isSpentUnconfirmed } from '../../../store/ledger/reservations.ts';
import { isoTime } from '../../../domain/iso-time.ts';
import { listVersions, type StoredSendVersion } from '../../../store/sends/send-versions.ts';
import { isWithheld } from '../../../store/sends/wallet-freezes.ts';
import { sendState } from './apply-send-fact.ts';
import { broadcastOnce } from './broadcast-once.ts';
import { isPossiblyPaid } from './possibly-paid.ts';
import { queryStatus, readEvidence } from './resolve-rejection.ts';
import { DEFAULT_SEND_POLICY } from '../../../domain/send/policy.ts';
import { toStoredTransaction } from './stored-plan.ts';

/** Why a send is not in a block yet. */
export interface SendFinding {
  readonly send: StoredSend;
  /**
   * `in_network`: it only waits for a block. `impossible`: the daemon will re-sign it or end it as failed.
   * `open`: neither is known. `unsigned`: the wallet of a watched account has to sign it.
   */
  readonly state: 'in_network' | 'impossible' | 'open' | 'unsigned';
  /** Explanation for the operator. */
  readonly why: string;
}

export interface ExamineSendsDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** Maximum number of sends per run; each takes a few requests to the node. */
const MOST = 500;

/**
 * Examines the unconfirmed sends of a chain, oldest first: rebroadcasts the signed bytes of each and
 * determines what prevents it from confirming or failing. Writes nothing: a running daemon does the same at
 * each retry, and acts on the result.
 */
export async function examineSends(deps: ExamineSendsDeps, adapter: ChainAdapter): Promise<SendFinding[]> {
  const findings: SendFinding[] = [];
  const always = {
    now: Number.MAX_SAFE_INTEGER,
    impossible: Number.MAX_SAFE_INTEGER,
    includesFrozen: true,
  };
  const preparing = await preparingSends(deps.db, adapter, always, MOST);
  const unsigned = await unsignedSends(deps.db, adapter, MOST);
  for (const read of [...preparing, ...unsigned, ...(await oldestOpenSends(deps.db, adapter, MOST))]) {
    // Read again, because examining the previous ones took time.
    const send = (await findSend(deps.db, read.id)) ?? read;
    findings.push({ send, ...(await examine(deps, adapter, send)) });
  }
  return findings;
}

async function examine(
  { db, clock }: ExamineSendsDeps,
  adapter: ChainAdapter,
  send: StoredSend,
): Promise<Pick<SendFinding, 'state' | 'why'>> {
  if (sendStatus(send) === 'awaiting_signature') return examineUnsigned(db, clock, send);
  if (send.status === 'preparing') {
    const { parts, partsConfirmed: confirmed } = send;
    return { state: 'open', why: `it gathers its outputs: ${confirmed} of ${parts} parts are confirmed` };
  }
  if (isReverted(send)) {
    return {
      state: 'impossible',
      why: `block ${send.height} executed and reverted it; once that block is final`,
    };
  }
  if (send.queued) return examineQueued(db, adapter, send);
  if (await isWithheld(db, send.id)) {
    return { state: 'open', why: 'its wallet is frozen: it is first broadcast after the unfreeze' };
  }
  if (isFirstOffered(send, clock)) {
    return { state: 'open', why: 'its first broadcast is in progress' };
  }
  const versions = await listVersions(db, send.id);
  const current = versions.find(({ version }) => version === send.version);
  if (versions.some(({ version }) => version > send.version) && isPlannedAhead(send, clock)) {
    return {
      state: 'open',
      why: 'the first broadcast of a new version is in progress',
    };
  }
  if (current === undefined) return { state: 'open', why: 'its signed bytes are missing' };
  const result = await broadcastOnce(adapter, toStoredTransaction(current));
  switch (result.kind) {
    case 'accepted':
      return { state: 'in_network', why: `the node has ${current.txid}: it waits for a block` };
    case 'unknown':
      return result.isLasting === true
        ? { state: 'open', why: result.reason }
        : { state: 'open', why: `the node rejects it for now, possibly temporarily: ${result.reason}` };
    case 'rejected':
      break;
    default:
      return assertNever(result);
  }
  return afterRefusal(db, adapter, { send, versions, reason: result.reason });
}

/** Finding for a send from a watched account. */
async function examineUnsigned(
  db: Db,
  clock: Clock,
  send: StoredSend,
): Promise<Pick<SendFinding, 'state' | 'why'>> {
  const stored = await findPsbt(db, send.id);
  if (stored === undefined) return { state: 'open', why: 'its PSBT is missing' };
  const { required, collected, expiresAt, txid } = stored;
  if (await isSpentUnconfirmed(db, send.id)) {
    return {
      state: 'open',
      why: `a transaction in the mempool spends its inputs, perhaps its own (${txid}): a block decides`,
    };
  }
  const isExpired = clock.now() >= expiresAt;
  const time = isoTime(expiresAt);
  if (isExpired && (await isPossiblyPaid(db, send))) {
    return {
      state: 'open',
      why: `it expired at ${time} without a signature here, but is older than a restore or skipped blocks: it fails once the node shows its inputs unspent at a later block, or another transaction spends them; if it was not paid, run tillctl sends --not-paid ${send.id}`,
    };
  }
  if (isExpired) return { state: 'unsigned', why: `it expired at ${time}, and fails at the next round` };
  return { state: 'unsigned', why: `it waits for signatures (${collected} of ${required}) until ${time}` };
}

/** Finding for a queued send. Its bytes must not reach a node before its turn. */
async function examineQueued(
  db: Db,
  adapter: ChainAdapter,
  send: StoredSend,
): Promise<Pick<SendFinding, 'state' | 'why'>> {
  const behind = 'it is queued behind sends of its wallet that have not landed yet';
  if (!(await isPossiblyPaid(db, send))) return { state: 'open', why: behind };
  const versions = await listVersions(db, send.id);
  const evidence = await readEvidence(db, send, await queryStatus(db, adapter, { send, versions }));
  const verdict = assessRejection(sendState(send, versions), evidence, DEFAULT_SEND_POLICY);
  const mustAsk = verdict.kind === 'open' && verdict.why === 'paid_unseen';
  return { state: 'open', why: mustAsk ? `it is queued and expired${askOperator(send)}` : behind };
}

function askOperator({ id, destination }: StoredSend): string {
  return `, but it is older than a restore or skipped blocks, and an unknown transaction may have paid it: check whether ${destination} received the amount, and only if it did not, run tillctl sends --not-paid ${id}`;
}

/** Finding for a send that the node rejects. */
async function afterRefusal(
  db: Db,
  adapter: ChainAdapter,
  { send, versions, reason }: { send: StoredSend; versions: readonly StoredSendVersion[]; reason: string },
): Promise<Pick<SendFinding, 'state' | 'why'>> {
  const evidence = await readEvidence(db, send, await queryStatus(db, adapter, { send, versions }));
  const verdict = assessRejection(sendState(send, versions), evidence, DEFAULT_SEND_POLICY);
  const findTxid = (number: number | null) => versions.find(({ version }) => version === number)?.txid;
  const refusal = `the node rejects it (${reason})`;
  const { surplusDepth } = DEFAULT_SEND_POLICY;
  switch (verdict.kind) {
    case 'present':
      return { state: 'in_network', why: `the node has ${findTxid(verdict.version)}: it waits for a block` };
    case 'open': {
      const explanations = {
        ledger_differs: '; the daemon must first have read every block that the node has',
        version_possible: `, but nothing proves that ${findTxid(verdict.version)} can never confirm: it ends when another transaction spends its inputs`,
        paid_unseen: askOperator(send),
        inputs_return: ', but its inputs are currently in no block: a reorg may end',
      };
      return { state: 'open', why: `${refusal}${explanations[verdict.why]}` };
    }
    case 'impossible':
      if (adapter.expiry !== undefined || verdict.isLasting) {
        return { state: 'impossible', why: `${refusal}, and none of its transactions can confirm any more` };
      }
      return verdict.isUnfunded
        ? {
            state: 'open',
            why: `${refusal}, and its address holds too little: it fails once block ${verdict.since} is final`,
          }
        : {
            state: 'open',
            why: `${refusal}, and none of its transactions can confirm: it fails once that is ${surplusDepth} blocks deep`,
          };
    default:
      return assertNever(verdict);
  }
}

/**
 * Whether the daemon may be waiting for the answer to the first broadcast of its newest bytes. A rejection of
 * that one ends the send, but proves nothing once the bytes were broadcast from here too.
 */
function isFirstOffered(send: StoredSend, clock: Clock): boolean {
  return send.broadcasts === 0 && isPlannedAhead(send, clock);
}

function isPlannedAhead({ nextBroadcastAt: next }: StoredSend, clock: Clock): boolean {
  return next !== null && next > clock.now();
}
