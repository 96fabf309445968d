import { spendingModel } from '../accounts.ts';
import { assertNever } from '../errors.ts';
import { assessRejection } from './assess-rejection.ts';
import { rebroadcastDelayMs, retryDelayMs, type SendPolicy } from './policy.ts';
import {
  awaitsBlock,
  CANCELLED,
  DISPLACED,
  isOpen,
  isReverted,
  isUnsigned,
  REVERTED,
} from './send-status.ts';
import type { Decision, SendFact, SendState, SendVersion, Verdict } from './types.ts';

type FactOf<T extends SendFact['type']> = Extract<SendFact, { readonly type: T }>;

const WITHDRAWN = 'cancelled before it was broadcast';

/**
 * The send machine: pure and total. Applies one fact to a wallet send, refund or sweep and returns the
 * decision.
 *
 * Invariants: a send fails only on proof (a rejected first broadcast, a conflicting block too deep for a
 * reorg, an expiry in final blocks, or a final balance below the cost of a transfer within the wallet), never
 * because a transaction is absent or unknown; only then are its coins free; blocks outrank every answer of a
 * node; a failed send changes only when a block pays it after all. `now` is in milliseconds.
 */
export function decide(send: SendState, fact: SendFact, now: number): Decision {
  switch (fact.type) {
    case 'prepared':
      return prepared(send, fact, now);
    case 'abandoned':
      return isUnsigned(send) ? fail(send, fact.reason) : ignore(send);
    case 'answered':
      return awaitsBlock(send) ? answered(send, fact, now) : ignore(send);
    case 'refused':
      return awaitsBlock(send) ? refused(send, fact, now) : ignore(send);
    case 'renewed':
      return awaitsBlock(send) ? renewed(send, now) : ignore(send);
    case 'dequeued':
      return send.status === 'queued' ? dequeued(send, fact, now) : ignore(send);
    case 'withdrawn':
      return send.status === 'queued' || isUnsigned(send) ? fail(send, WITHDRAWN) : ignore(send);
    case 'mined':
      return mined(send, fact);
    case 'displaced':
      return awaitsBlock(send) ? displaced(send, fact, now) : ignore(send);
    case 'rolled_back':
      return rolledBack(send, fact, now);
    case 'settled':
      return settled(send, fact);
    case 'orphaned':
      return orphaned(send, fact);
    case 'buried':
      return buried(send, fact);
    default:
      return assertNever(fact);
  }
}

function prepared(send: SendState, { policy }: FactOf<'prepared'>, now: number): Decision {
  const [first] = send.versions;
  if (!isUnsigned(send) || first === undefined) return ignore(send);
  const { version, fee } = first;
  const nextBroadcastAt = now + policy.firstAnswerMs;
  return changed('sign', { ...send, status: 'signed', version, fee, nextBroadcastAt });
}

function answered(read: SendState, fact: FactOf<'answered'>, now: number): Decision {
  // A node had its bytes, so it is no longer queued.
  const send: SendState = read.status === 'queued' ? { ...read, status: 'signed' } : read;
  const { version, result, neverOffered, policy } = fact;
  if (result.kind === 'accepted') return accept(send, version, { policy, now });
  // A rejected replacement changes nothing: the network still has the older version.
  if (version > send.version) return changed('retry', { ...send, nextBroadcastAt: now });
  // An expired version pays once it is signed again.
  const isRefused = result.kind === 'rejected' && result.isExpired !== true;
  if (!isRefused || !neverOffered || send.broadcasts > 0) return retry(send, { policy, now });
  // No node has relayed these bytes. The network may still have another version.
  if (send.versions.length === 1) return fail(send, result.reason);
  const older = send.versions.findLast((each) => each.version < version);
  return older === undefined ? retry(send, { policy, now }) : switchTo(send, older, now);
}

interface Terms {
  readonly policy: SendPolicy;
  readonly now: number;
}

function accept(send: SendState, number: number, { policy, now }: Terms): Decision {
  const { version, txid, fee, cancels } = requireVersion(send, number);
  const isNews = !cancels && send.announcedTxid !== txid;
  return {
    action: 'accept',
    send: {
      ...send,
      status: 'broadcast',
      version,
      fee,
      broadcasts: version === send.version ? send.broadcasts + 1 : 1,
      nextBroadcastAt: now + rebroadcastDelayMs(policy, send.coin),
      displacedHeight: null,
      announcedTxid: isNews ? txid : send.announcedTxid,
    },
    event: isNews ? 'send.broadcast' : null,
    dead: [],
  };
}

function retry(send: SendState, { policy, now }: Terms): Decision {
  const broadcasts = send.broadcasts + 1;
  return changed('retry', {
    ...send,
    broadcasts,
    nextBroadcastAt: now + retryDelayMs(policy, broadcasts),
  });
}

/** The caller that stores this broadcasts its bytes; the send loop does so if no answer is recorded. */
function dequeued(send: SendState, { policy }: FactOf<'dequeued'>, now: number): Decision {
  return changed('dequeue', { ...send, status: 'signed', nextBroadcastAt: now + policy.firstAnswerMs });
}

/** It stays queued and is rechecked soon, because the sends behind it wait as well. */
function stayQueued(send: SendState, pauseMs: number, now: number): Decision {
  return changed('wait', { ...send, nextBroadcastAt: now + pauseMs });
}

function refused(send: SendState, fact: FactOf<'refused'>, now: number): Decision {
  const { evidence, policy } = fact;
  const verdict = assessRejection(send, evidence, policy);
  switch (verdict.kind) {
    case 'present':
      return accept({ ...send, version: verdict.version }, verdict.version, { policy, now });
    case 'open': {
      if (send.status === 'queued') {
        // The operator may take days, and no later send waits for it.
        const pauseMs = verdict.why === 'paid_unseen' ? policy.retryMaxMs : policy.retryMs;
        return stayQueued(send, pauseMs, now);
      }
      const { version, fee } = requireVersion(send, verdict.version ?? send.version);
      const current = version === send.version ? send : { ...send, version, fee };
      const action = verdict.version === null ? 'wait' : 'retry';
      // A node that is ahead or silent reveals nothing about the block of the proof; only a reorg undoes the
      // proof.
      const displacedHeight = verdict.why === 'ledger_differs' ? send.displacedHeight : null;
      return { ...retry({ ...current, displacedHeight }, { policy, now }), action };
    }
    case 'impossible':
      return { ...impossible(send, verdict, fact, now), dead: versionNumbers(send) };
    default:
      return assertNever(verdict);
  }
}

/**
 * A reorg may revert the conflicting transaction, so the proof must hold for some blocks. An expiry is final.
 */
function impossible(
  send: SendState,
  { since, isUnfunded, isLasting }: Extract<Verdict, { readonly kind: 'impossible' }>,
  { reason, renewal, policy }: FactOf<'refused'>,
  now: number,
): Decision {
  // A missing balance proves no expiry.
  const how = isUnfunded ? 'none' : renewal;
  switch (how) {
    case 'untried':
      return changed('renew', send);
    case 'later':
      if (send.status === 'queued') return stayQueued(send, policy.retryMs, now);
      return { ...retry(send, { policy, now }), action: 'wait' };
    case 'impossible':
      return fail(send, reason);
    case 'none':
      return isLasting
        ? fail(send, reason)
        : { ...waitDisplaced({ ...send, displacedHeight: since }, { policy, now }), action: 'displace' };
    default:
      return assertNever(how);
  }
}

function waitDisplaced(send: SendState, terms: Terms): Decision {
  return send.status === 'queued' ? stayQueued(send, terms.policy.retryMs, terms.now) : retry(send, terms);
}

function renewed(send: SendState, now: number): Decision {
  const newest = send.versions.at(-1);
  if (newest === undefined || newest.version <= send.version) return ignore(send);
  return switchTo({ ...send, broadcasts: 0 }, newest, now);
}

function mined(send: SendState, { version: number, height, succeeded, fee }: FactOf<'mined'>): Decision {
  const version = requireVersion(send, number);
  const dead = versionNumbers(send).filter((each) => each !== number);
  const isPaid = succeeded && !version.cancels;
  if (!isPaid && send.status === 'failed') return { ...failedByOtherBlock(send, height), dead };
  const inBlock = {
    ...send,
    version: number,
    fee: fee ?? version.fee,
    height,
    displacedHeight: null,
    nextBroadcastAt: null,
  };
  // A reorg may still pay it: the send fails once the block is deep enough.
  if (!isPaid) return { ...changed('revert', { ...inBlock, status: 'broadcast' }), dead };
  return {
    action: 'confirm',
    send: { ...inBlock, status: 'confirmed', error: null, confirmedTxid: version.txid },
    event: send.confirmedTxid === version.txid ? null : 'send.confirmed',
    dead,
  };
}

/** After a reorganisation another block proves the failure. */
function failedByOtherBlock(send: SendState, height: number): Decision {
  return send.height === height ? ignore(send) : changed('revert', { ...send, height });
}

function displaced(
  send: SendState,
  { versions, height, isExamined }: FactOf<'displaced'>,
  now: number,
): Decision {
  const alive = send.versions.filter(({ version }) => !versions.has(version));
  const newest = alive.at(-1);
  if (newest !== undefined) {
    return alive.some(({ version }) => version === send.version) ? ignore(send) : switchTo(send, newest, now);
  }
  const dead = versionNumbers(send);
  if (!isExamined) return { ...changed('hold', send), dead };
  // Where sends draw on accounts, only a used nonce or an expiry proves displacement.
  const after = spendingModel(send) === 'outputs' ? { ...send, displacedHeight: height } : send;
  return { ...changed('displace', after), dead };
}

function rolledBack(send: SendState, { to }: FactOf<'rolled_back'>, now: number): Decision {
  const isLifted = isOpen(send) && send.displacedHeight !== null && send.displacedHeight > to;
  const lifted = isLifted ? { ...send, displacedHeight: null } : send;
  if (send.height === null || send.height <= to) return changed(isLifted ? 'roll_back' : 'ignore', lifted);
  const unmined = { ...lifted, height: null };
  if (send.status === 'failed') return changed('roll_back', unmined);
  return changed('roll_back', { ...unmined, status: 'broadcast', nextBroadcastAt: now });
}

function settled(send: SendState, { upTo }: FactOf<'settled'>): Decision {
  if (!isReverted(send) || send.height === null || send.height > upTo) return ignore(send);
  return fail(send, requireVersion(send, send.version).cancels ? CANCELLED : REVERTED);
}

function orphaned(send: SendState, { upTo, conflicts, isExamined }: FactOf<'orphaned'>): Decision {
  const isLost = send.versions.every(({ version }) => (conflicts.get(version) ?? Infinity) <= upTo);
  // An account can pay from later deposits, so a send there ends only by its expiry or a used nonce.
  const isProven = isLost && isExamined && send.versions.length > 0 && spendingModel(send) === 'outputs';
  return awaitsBlock(send) && isProven ? fail(send, DISPLACED) : ignore(send);
}

function buried(send: SendState, { upTo }: FactOf<'buried'>): Decision {
  const isBuried = send.status === 'confirmed' && send.height !== null && send.height <= upTo;
  return changed(isBuried ? 'release' : 'ignore', send);
}

function fail(send: SendState, error: string): Decision {
  return {
    action: 'fail',
    send: { ...send, status: 'failed', error, nextBroadcastAt: null, confirmedTxid: null },
    event: 'send.failed',
    dead: [],
  };
}

function switchTo(send: SendState, { version, fee }: SendVersion, now: number): Decision {
  return changed('switch', { ...send, version, fee, nextBroadcastAt: now });
}

function changed(action: Decision['action'], send: SendState): Decision {
  return { action, send, event: null, dead: [] };
}

function ignore(send: SendState): Decision {
  return changed('ignore', send);
}

function versionNumbers({ versions }: SendState): number[] {
  return versions.map(({ version }) => version);
}

function requireVersion({ versions }: SendState, number: number): SendVersion {
  const version = versions.find((each) => each.version === number);
  if (version === undefined) throw new Error(`send has no version ${number}`);
  return version;
}
