import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertNever } from '../../../src/domain/errors.ts';
import { decide } from '../../../src/domain/send/send-machine.ts';
import { awaitsBlock, isEndedByBlock, isOpen, isReverted } from '../../../src/domain/send/send-status.ts';
import { assessRejection } from '../../../src/domain/send/assess-rejection.ts';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import type { Decision, RejectionEvidence, SendFact, SendState } from '../../../src/domain/send/types.ts';
import { SendWorld, type Turn } from '../../_helpers/send-world.ts';

const NOW = 1_000_000;
const DEPTH = 4;
const policy = { ...DEFAULT_SEND_POLICY, surplusDepth: DEPTH };

/** Three versions; the last one cancels the payment. */
const versions = [1, 2, 3].map((version) => ({
  version,
  txid: `tx${version}`,
  fee: BigInt(version * 100),
  cancels: version === 3,
}));

function fresh(overrides: Partial<SendState> = {}): SendState {
  return {
    coin: 'BTC',
    mode: 'sandbox',
    status: 'signed',
    versions: versions.slice(0, 1),
    version: 1,
    fee: 100n,
    height: null,
    displacedHeight: null,
    error: null,
    broadcasts: 0,
    nextBroadcastAt: NOW,
    announcedTxid: null,
    confirmedTxid: null,
    ...overrides,
  };
}

function evidence(overrides: Partial<RejectionEvidence> = {}): RejectionEvidence {
  return {
    fates: new Map(versions.map(({ txid }) => [txid, 'gone'])),
    height: 100,
    isOnLedgerTip: true,
    isPossiblyPaid: false,
    mayGetInputsBack: false,
    isWithinWallet: false,
    finalHeight: null,
    ...overrides,
  };
}

const answered = (
  version: number,
  kind: 'accepted' | 'rejected' | 'unknown',
  neverOffered = false,
): SendFact => {
  const result = kind === 'accepted' ? { kind } : { kind, reason: 'no' };
  return { type: 'answered', version, result, neverOffered, policy };
};
const refused = (
  overrides: Partial<RejectionEvidence> = {},
  renewal: 'none' | 'untried' | 'later' | 'impossible' = 'none',
): SendFact => ({ type: 'refused', reason: 'no', evidence: evidence(overrides), renewal, policy });
const mined = (version: number, height: number, succeeded = true): SendFact => ({
  type: 'mined',
  version,
  height,
  succeeded,
  fee: null,
});
const displaced = (height: number, ...lost: number[]): SendFact => ({
  type: 'displaced',
  versions: new Set(lost),
  height,
  isExamined: true,
});

const orphaned = (upTo: number): SendFact => ({
  type: 'orphaned',
  upTo,
  conflicts: new Map([[1, 100]]),
  isExamined: true,
});

function run(start: SendState, ...facts: SendFact[]): { send: SendState; events: string[]; last: Decision } {
  let last: Decision = { action: 'ignore', send: start, event: null, dead: [] };
  const events: string[] = [];
  for (const fact of facts) {
    last = decide(last.send, fact, NOW);
    if (last.event !== null) events.push(last.event);
  }
  return { send: last.send, events, last };
}

describe('the send state machine', () => {
  it('emits broadcast and confirmed once each for a send that is accepted and mined', () => {
    const { send, events } = run(
      fresh(),
      answered(1, 'accepted', true),
      answered(1, 'accepted'),
      mined(1, 100),
      mined(1, 100),
    );
    expect(send).toMatchObject({ status: 'confirmed', height: 100, nextBroadcastAt: null });
    expect(events).toEqual(['send.broadcast', 'send.confirmed']);
  });

  it('broadcasts a queued send when it is the first of its queue, and allows a cancellation before', () => {
    const queued = fresh({ coin: 'SOL', mode: 'live', status: 'queued' });
    const life = run(queued, { type: 'dequeued', policy }, answered(1, 'accepted', true), mined(1, 100));
    expect(life.send).toMatchObject({ status: 'confirmed', height: 100 });
    expect(life.events).toEqual(['send.broadcast', 'send.confirmed']);
    const taken = run(queued, { type: 'withdrawn' });
    expect(taken.send).toMatchObject({ status: 'failed', error: 'cancelled before it was broadcast' });
    const tooLate = run(queued, { type: 'dequeued', policy }, { type: 'withdrawn' });
    expect(tooLate.send.status).toBe('signed');
  });

  it('signs a queued send again only once its expiry is proven', () => {
    const queued = fresh({ coin: 'SOL', mode: 'live', status: 'queued' });
    const unproven = refused({ fates: new Map([['tx1', 'unknown']]) }, 'untried');
    expect(run(queued, unproven)).toMatchObject({ send: { status: 'queued', broadcasts: 0 } });
    expect(run(queued, refused({}, 'untried')).last.action).toBe('renew');
    const anew = run({ ...queued, versions: versions.slice(0, 2) }, { type: 'renewed' });
    expect(anew.send).toMatchObject({ status: 'queued', version: 2 });
    expect(run(queued, refused({}, 'later')).send.status).toBe('queued');
    expect(run(queued, refused({}, 'impossible')).send.status).toBe('failed');
    const landed = refused({ fates: new Map([['tx1', 'present']]) }, 'untried');
    expect(run(queued, landed).send.status).toBe('broadcast');
  });

  it('fails a send after a rejected broadcast only when no node can have its bytes', () => {
    expect(run(fresh(), answered(1, 'rejected', true)).last.action).toBe('fail');
    expect(run(fresh(), answered(1, 'rejected', false)).last.action).toBe('retry');
    expect(run(fresh(), answered(1, 'unknown', true), answered(1, 'rejected', true)).last.action).toBe(
      'retry',
    );
  });

  it('does not fail a send that expired before its first broadcast, because it can be signed again', () => {
    const late: SendFact = {
      type: 'answered',
      version: 1,
      result: { kind: 'rejected', reason: 'too late', isExpired: true },
      neverOffered: true,
      policy,
    };
    expect(run(fresh(), late).last.action).toBe('retry');
  });

  it('returns to the older version when the network rejects the replacement, even if the newer version was current', () => {
    const raised = fresh({ versions: versions.slice(0, 2) });
    expect(run(raised, answered(2, 'rejected', true)).send).toMatchObject({ status: 'signed', version: 1 });
    const moved = { ...raised, version: 2, fee: 200n };
    expect(run(moved, answered(2, 'rejected', true)).send).toMatchObject({ version: 1, fee: 100n });
  });

  it('does not fail a send whose first broadcast is rejected while a newer version may be in the network', () => {
    const raised = fresh({ versions: versions.slice(0, 2) });
    expect(run(raised, answered(2, 'unknown', true), answered(1, 'rejected', true)).last.action).toBe(
      'retry',
    );
  });

  it('makes the version that a node accepted the current one, and takes over its fee', () => {
    const { send, events } = run(
      fresh({ versions: versions.slice(0, 2) }),
      answered(1, 'accepted'),
      answered(2, 'accepted'),
    );
    expect(send).toMatchObject({ version: 2, fee: 200n, broadcasts: 1, announcedTxid: 'tx2' });
    expect(events).toEqual(['send.broadcast', 'send.broadcast']);
  });

  it('emits nothing for a cancellation on the chain until its block is settled', () => {
    const open = fresh({ versions, status: 'broadcast', announcedTxid: 'tx1' });
    const taken = run(open, answered(3, 'accepted'), mined(3, 100));
    expect(taken.events).toEqual([]);
    expect(taken.last.action).toBe('revert');
    expect(isReverted(taken.send)).toBe(true);
    expect(run(taken.send, { type: 'settled', upTo: 99 }).send).toBe(taken.send);
    const { send, events } = run(taken.send, { type: 'settled', upTo: 100 });
    expect(send).toMatchObject({ status: 'failed', error: expect.stringContaining('cancelled') });
    expect(events).toEqual(['send.failed']);
  });

  it('fails a send with a reverted transaction once its block is settled, unless a reorg pays the send before', () => {
    const reverted = run(fresh(), mined(1, 100, false));
    expect(reverted.send).toMatchObject({ status: 'broadcast', height: 100 });
    expect(run(reverted.send, { type: 'settled', upTo: 100 }).send.error).toContain('only the network fee');
    const { send, events } = run(reverted.send, { type: 'rolled_back', to: 99 }, mined(1, 101));
    expect(send.status).toBe('confirmed');
    expect(events).toEqual(['send.confirmed']);
  });

  it('fails a double-spent send once the conflicting transaction is deep enough, by either kind of proof', () => {
    const lost = run(fresh(), displaced(100, 1));
    expect(lost.last).toMatchObject({ action: 'displace', dead: [1] });
    expect(lost.send).toMatchObject({ status: 'signed', displacedHeight: 100 });
    expect(run(lost.send, refused({ height: 100 + DEPTH - 2 })).last.action).toBe('displace');
    expect(run(lost.send, refused({ height: 100 + DEPTH - 1 })).last.action).toBe('fail');
    expect(run(lost.send, orphaned(99)).last.action).toBe('ignore');
    expect(run(lost.send, orphaned(100)).last.action).toBe('fail');
  });

  it('makes the newest version that can still be mined current when a conflicting transaction excludes another version', () => {
    const raised = fresh({ versions, version: 1 });
    expect(run(raised, displaced(100, 2, 3)).send).toBe(raised);
    expect(run(raised, displaced(100, 1)).send).toMatchObject({
      version: 3,
      fee: 300n,
      nextBroadcastAt: NOW,
    });
  });

  it('holds a send for the operator when the conflicting transaction may have paid its recipient', () => {
    const { last } = run(fresh(), {
      type: 'displaced',
      versions: new Set([1]),
      height: 100,
      isExamined: false,
    });
    expect(last).toMatchObject({ action: 'hold', dead: [1] });
    expect(awaitsBlock(last.send)).toBe(true);
  });

  it('does not treat coins spent by another transaction as proof on account-based chains', () => {
    const open = fresh({ coin: 'SOL', mode: 'live' });
    const { send } = run(open, displaced(100, 1));
    expect(send.displacedHeight).toBeNull();
    const conflicts = new Map([[1, 100]]);
    expect(run(open, { type: 'orphaned', upTo: 100, conflicts, isExamined: true }).send).toBe(open);
  });

  it('signs an expired send again, waits for a lower fee, or fails it when its funds do not suffice', () => {
    const open = fresh({ coin: 'SOL', mode: 'live', versions: versions.slice(0, 2) });
    expect(run(open, refused({}, 'untried')).last).toMatchObject({ action: 'renew', dead: [1, 2] });
    expect(run(open, refused({}, 'later')).last.action).toBe('wait');
    expect(run(open, refused({}, 'impossible')).last.action).toBe('fail');
    const { send } = run(open, answered(1, 'unknown'), { type: 'renewed' });
    expect(send).toMatchObject({ version: 2, fee: 200n, broadcasts: 0, nextBroadcastAt: NOW });
  });

  it('confirms a failed send that a deep reorg pays after all', () => {
    const { send, events } = run(fresh(), answered(1, 'rejected', true), mined(1, 100));
    expect(send).toMatchObject({ status: 'confirmed', error: null });
    expect(events).toEqual(['send.failed', 'send.confirmed']);
  });

  it('records the block that proves the failure of a send, also after a reorg moved that block', () => {
    const failed = run(fresh(), mined(1, 100, false), { type: 'settled', upTo: 100 }).send;
    expect(failed).toMatchObject({ status: 'failed', height: 100 });
    expect(isEndedByBlock(failed)).toBe(true);
    const undone = run(failed, { type: 'rolled_back', to: 99 }).send;
    expect(undone).toMatchObject({ status: 'failed', height: null });
    const again = run(undone, mined(1, 103, false));
    expect(again.send).toEqual({ ...failed, height: 103 });
    expect(again.events).toEqual([]);
    expect(run(again.send, mined(1, 103, false)).send).toBe(again.send);
    expect(isEndedByBlock(run(fresh(), answered(1, 'rejected', true)).send)).toBe(false);
  });

  it('ranks the content of a block above every answer of a node', () => {
    const unpaid = run(fresh(), mined(1, 100, false)).send;
    const paid = run(fresh(), mined(1, 100)).send;
    for (const send of [unpaid, paid]) {
      const answers = [
        answered(1, 'accepted'),
        answered(1, 'rejected', true),
        refused(),
        refused({}, 'impossible'),
      ];
      for (const fact of answers) expect(run(send, fact).send).toBe(send);
    }
  });

  it('takes the real fee from the block, and drops the versions that were not mined', () => {
    const raised = fresh({ versions });
    const { last } = run(raised, { type: 'mined', version: 2, height: 100, succeeded: true, fee: 7n });
    expect(last.send.fee).toBe(7n);
    expect(last.dead).toEqual([1, 3]);
    expect(run(raised, mined(2, 100)).send.fee).toBe(200n);
  });

  it('no longer treats a send as double-spent once a node has it, the proof disappears, or a reorg drops the conflicting transaction', () => {
    const lost = run(fresh(), displaced(100, 1)).send;
    const isLifted = (fact: SendFact) => run(lost, fact).send.displacedHeight === null;
    expect(isLifted(answered(1, 'accepted'))).toBe(true);
    expect(isLifted(refused({ fates: new Map([['tx1', 'present']]) }))).toBe(true);
    expect(isLifted(refused({ fates: new Map() }))).toBe(true);
    // The ledger has not read what the node has: its block stands until a fork takes it.
    expect(isLifted(refused({ isOnLedgerTip: false }))).toBe(false);
    expect(isLifted({ type: 'rolled_back', to: 99 })).toBe(true);
    expect(isLifted({ type: 'rolled_back', to: 100 })).toBe(false);
  });

  it('releases the coins reserved by other versions once the block of the mined version is deep', () => {
    const { send } = run(fresh(), mined(1, 100));
    expect(run(send, { type: 'buried', upTo: 99 }).last.action).toBe('ignore');
    expect(run(send, { type: 'buried', upTo: 100 }).last.action).toBe('release');
  });
});

describe('a send that the network rejected', () => {
  it.each([
    ['ledger_differs', { isOnLedgerTip: false }],
    ['ledger_differs', { height: null }],
    ['version_possible', { fates: new Map() }],
    ['version_possible', { fates: new Map([['tx1', 'absent' as const]]) }],
    ['paid_unseen', { isPossiblyPaid: true }],
    ['inputs_return', { mayGetInputsBack: true }],
  ])('stays open when %s', (why, missing) => {
    expect(assessRejection(fresh(), evidence(missing), policy)).toMatchObject({ kind: 'open', why });
  });

  it('continues as broadcast with the newest version that a node knows', () => {
    const both = new Map([
      ['tx1', 'present' as const],
      ['tx2', 'present' as const],
    ]);
    const raised = fresh({ versions });
    expect(assessRejection(raised, evidence({ fates: both }), policy)).toEqual({
      kind: 'present',
      version: 2,
    });
    const { send, events } = run(raised, refused({ fates: both }));
    expect(send).toMatchObject({ status: 'broadcast', version: 2, fee: 200n });
    expect(events).toEqual(['send.broadcast']);
  });

  it('continues with its current version if that can be mined, otherwise with the newest', () => {
    const some = (...txids: string[]) =>
      evidence({
        fates: new Map(versions.map(({ txid }) => [txid, txids.includes(txid) ? 'absent' : 'gone'])),
      });
    const send = fresh({ versions });
    expect(assessRejection(send, some('tx1', 'tx2'), policy)).toMatchObject({ kind: 'open', version: 1 });
    expect(assessRejection(send, some('tx2', 'tx3'), policy)).toMatchObject({ kind: 'open', version: 3 });
  });

  it('counts the blocks since the conflicting transaction was mined, including the first', () => {
    expect(assessRejection(fresh(), evidence(), policy)).toMatchObject({
      kind: 'impossible',
      since: 100,
      depth: 1,
    });
    const known = fresh({ displacedHeight: 97 });
    expect(assessRejection(known, evidence(), policy)).toMatchObject({
      kind: 'impossible',
      since: 97,
      depth: 4,
    });
    // A clock or a height ahead of the ledger is no depth.
    expect(assessRejection(fresh({ displacedHeight: 120 }), evidence(), policy)).toMatchObject({
      since: 100,
      depth: 1,
    });
  });

  const unfunded = {
    fates: new Map([['tx1', 'unfunded' as const]]),
    isWithinWallet: true,
    mayGetInputsBack: true,
  };

  it.each([
    ['no block is known to be finalized', { finalHeight: null }, 'displace'],
    ['only a block before it is finalized', { finalHeight: 96 }, 'displace'],
    ['that block is finalized', { finalHeight: 97 }, 'fail'],
    ['that block is finalized, but the ledger differs', { finalHeight: 97, isOnLedgerTip: false }, 'wait'],
    [
      'that block is finalized, but the sweep may be mined unseen',
      { finalHeight: 97, isPossiblyPaid: true },
      'wait',
    ],
    [
      'that block is finalized, but it pays another recipient',
      { finalHeight: 97, isWithinWallet: false },
      'retry',
    ],
  ])(
    'fails as an unfunded sweep only when the block that proves it is finalized: %s',
    (_when, more, action) => {
      const sweep = fresh({ displacedHeight: 97 });
      expect(run(sweep, refused({ ...unfunded, ...more })).last.action).toBe(action);
    },
  );

  it('fails as an unfunded sweep once the block that proves it is finalized, even when the ledger lagged in between', () => {
    const displaced = run(fresh(), refused({ ...unfunded, finalHeight: 90 })).send;
    const behind = run(
      displaced,
      refused({ ...unfunded, height: 140, finalHeight: 130, isOnLedgerTip: false }),
    ).send;
    const unseen = run(
      behind,
      refused({ ...unfunded, fates: new Map(), height: 150, isOnLedgerTip: false }),
    ).send;
    expect(run(unseen, refused({ ...unfunded, height: 200, finalHeight: 130 })).last.action).toBe('fail');
    const forked = run(unseen, { type: 'rolled_back', to: 90 }).send;
    expect(run(forked, refused({ ...unfunded, height: 200, finalHeight: 130 })).last.action).toBe('displace');
  });

  it('counts as failing since the current tip when it is an unfunded sweep without an earlier proof', () => {
    const { last } = run(fresh(), refused({ ...unfunded, finalHeight: 99 }));
    expect(last).toMatchObject({ action: 'displace', send: { displacedHeight: 100, status: 'signed' } });
  });

  it('is confirmed when a block contains it although it had failed as an unfunded sweep', () => {
    const failed = run(fresh(), refused({ ...unfunded, finalHeight: 100 })).send;
    expect(failed.status).toBe('failed');
    expect(run(failed, mined(1, 103)).send).toMatchObject({ status: 'confirmed', error: null });
  });
});

const number = fc.constantFrom(1, 2, 3);
const height = fc.integer({ min: 90, max: 110 });
const someVersions = fc.subarray([1, 2, 3]).map((numbers) => new Set(numbers));
const anyEvidence: fc.Arbitrary<RejectionEvidence> = fc.record({
  fates: fc
    .array(
      fc.tuple(
        fc.constantFrom('tx1', 'tx2', 'tx3'),
        fc.constantFrom(
          'present' as const,
          'gone' as const,
          'gone' as const,
          'absent' as const,
          'unfunded' as const,
          'unknown' as const,
        ),
      ),
      { maxLength: 6 },
    )
    .map((entries) => new Map(entries)),
  height: fc.option(height),
  isOnLedgerTip: fc.boolean(),
  isPossiblyPaid: fc.boolean(),
  mayGetInputsBack: fc.boolean(),
  isWithinWallet: fc.boolean(),
  finalHeight: fc.option(height),
});

const anyFact: fc.Arbitrary<SendFact> = fc.oneof(
  fc.record({
    type: fc.constant('answered' as const),
    version: number,
    result: fc.constantFrom(
      { kind: 'accepted' as const },
      { kind: 'rejected' as const, reason: 'no' },
      { kind: 'rejected' as const, reason: 'late', isExpired: true as const },
      { kind: 'unknown' as const, reason: 'timeout' },
    ),
    neverOffered: fc.boolean(),
    policy: fc.constant(policy),
  }),
  fc.record({
    type: fc.constant('refused' as const),
    reason: fc.constant('no'),
    evidence: anyEvidence,
    renewal: fc.constantFrom('none' as const, 'untried' as const, 'later' as const, 'impossible' as const),
    policy: fc.constant(policy),
  }),
  fc.record({ type: fc.constant('renewed' as const) }),
  fc.record({ type: fc.constant('dequeued' as const), policy: fc.constant(policy) }),
  fc.record({ type: fc.constant('withdrawn' as const) }),
  fc.record({
    type: fc.constant('mined' as const),
    version: number,
    height,
    succeeded: fc.boolean(),
    fee: fc.option(fc.constant(7n)),
  }),
  fc.record({
    type: fc.constant('displaced' as const),
    versions: someVersions,
    height,
    isExamined: fc.boolean(),
  }),
  fc.record({ type: fc.constant('rolled_back' as const), to: height }),
  fc.record({ type: fc.constant('settled' as const), upTo: height }),
  fc.record({
    type: fc.constant('orphaned' as const),
    upTo: height,
    conflicts: fc.array(fc.tuple(number, height), { maxLength: 5 }).map((entries) => new Map(entries)),
    isExamined: fc.boolean(),
  }),
  fc.record({ type: fc.constant('buried' as const), upTo: height }),
);

const anyStart: fc.Arbitrary<SendState> = fc
  .record({
    chain: fc.constantFrom(
      { coin: 'BTC' as const, mode: 'live' as const },
      { coin: 'ETH' as const, mode: 'live' as const },
      { coin: 'SOL' as const, mode: 'live' as const },
    ),
    count: fc.integer({ min: 1, max: 3 }),
    isQueued: fc.boolean(),
  })
  .map(({ chain, count, isQueued }) => {
    const status = isQueued && chain.coin === 'SOL' ? 'queued' : 'signed';
    return fresh({ ...chain, status, versions: versions.slice(0, count) });
  });

/** A fact names only versions that are stored. */
function fits(send: SendState, fact: SendFact): boolean {
  return !('version' in fact) || fact.version <= send.versions.length;
}

/** Every step of any life: the send before it, the fact, and what was decided. */
function eachStep(
  check: (step: { before: SendState; fact: SendFact; decision: Decision }) => void,
  facts: fc.Arbitrary<SendFact> = anyFact,
): void {
  fc.assert(
    fc.property(anyStart, fc.array(facts, { minLength: 1, maxLength: 25 }), (start, life) => {
      let send = start;
      for (const fact of life.filter((each) => fits(start, each))) {
        const decision = decide(send, fact, NOW);
        check({ before: send, fact, decision });
        send = decision.send;
      }
    }),
    { numRuns: 2_000 },
  );
}

/** What alone ends a send, said once more and otherwise than in the machine. */
function isProofOfFailure(before: SendState, fact: SendFact): boolean {
  const all = before.versions.map(({ version }) => version);
  switch (fact.type) {
    case 'answered':
      return (
        fact.result.kind === 'rejected' &&
        fact.result.isExpired === undefined &&
        fact.neverOffered &&
        before.broadcasts === 0 &&
        all.length === 1
      );
    case 'refused': {
      const { fates, height: tip, isOnLedgerTip, isPossiblyPaid, mayGetInputsBack } = fact.evidence;
      const { isWithinWallet, finalHeight: final } = fact.evidence;
      const isGone = before.versions.every(({ txid }) => fates.get(txid) === 'gone');
      if (!isOnLedgerTip || isPossiblyPaid || tip === null) return false;
      if (!isGone && isWithinWallet) {
        const isLost = before.versions.every(({ txid }) => /^(gone|unfunded)$/.test(fates.get(txid) ?? ''));
        return isLost && final !== null && final >= Math.min(before.displacedHeight ?? tip, tip);
      }
      if (!isGone || mayGetInputsBack) return false;
      if (fact.renewal !== 'none') return fact.renewal === 'impossible';
      return before.displacedHeight !== null && tip - before.displacedHeight >= DEPTH - 1;
    }
    case 'settled':
      return isReverted(before) && before.height !== null && before.height <= fact.upTo;
    case 'orphaned': {
      const isDeep = all.every((version) => (fact.conflicts.get(version) ?? fact.upTo + 1) <= fact.upTo);
      return isDeep && fact.isExamined && before.coin === 'BTC';
    }
    case 'withdrawn':
      return before.status === 'queued';
    case 'prepared':
    case 'abandoned':
    case 'renewed':
    case 'dequeued':
    case 'mined':
    case 'displaced':
    case 'rolled_back':
    case 'buried':
      return false;
    default:
      return assertNever(fact);
  }
}

describe('the send state machine on any sequence of facts', () => {
  it('produces a consistent send after every fact in every state', () => {
    eachStep(({ decision: { send, action, event, dead } }) => {
      const current = send.versions.find(({ version }) => version === send.version);
      expect(current).toBeDefined();
      expect(dead.every((version) => send.versions.some((each) => each.version === version))).toBe(true);
      if (send.status === 'confirmed') {
        expect(current?.cancels).toBe(false);
        expect(send).toMatchObject({ confirmedTxid: current?.txid, error: null, nextBroadcastAt: null });
        expect(send.height).not.toBeNull();
      }
      if (send.status === 'failed') {
        expect(send.error).not.toBeNull();
        expect(send).toMatchObject({ nextBroadcastAt: null, confirmedTxid: null });
      }
      if (send.height !== null && isOpen(send)) expect(send.displacedHeight).toBeNull();
      if (awaitsBlock(send)) expect(send.nextBroadcastAt).not.toBeNull();
      expect(event === 'send.failed').toBe(action === 'fail');
      if (event === 'send.confirmed') expect(action).toBe('confirm');
      if (event === 'send.broadcast') expect(action).toBe('accept');
    });
  });

  it('fails a send and releases its coins only on proof that it cannot be mined', () => {
    eachStep(({ before, fact, decision }) => {
      if (decision.action === 'fail' || (decision.send.status === 'failed' && before.status !== 'failed')) {
        expect(decision.action).toBe('fail');
        expect(isProofOfFailure(before, fact)).toBe(true);
      }
      if (decision.action === 'release') {
        expect(fact).toMatchObject({ type: 'buried' });
        expect(before.status).toBe('confirmed');
        if (fact.type === 'buried') expect(before.height).toBeLessThanOrEqual(fact.upTo);
      }
    });
  });

  it('never fails a send because the status of its transaction is unknown, absent or unchecked', () => {
    const vague = anyFact.map((fact): SendFact => {
      switch (fact.type) {
        case 'answered':
          return fact.result.kind === 'rejected' ? { ...fact, neverOffered: false } : fact;
        case 'refused':
          return {
            ...fact,
            evidence: {
              ...fact.evidence,
              fates: new Map(
                [...fact.evidence.fates].filter(
                  ([txid, fate]) => txid !== 'tx1' || (fate !== 'gone' && fate !== 'unfunded'),
                ),
              ),
            },
          };
        case 'orphaned':
          return { ...fact, isExamined: false };
        case 'mined':
          return { ...fact, version: 1, succeeded: true };
        case 'withdrawn':
          return { type: 'renewed' };
        case 'prepared':
        case 'abandoned':
        case 'renewed':
        case 'dequeued':
        case 'displaced':
        case 'rolled_back':
        case 'settled':
        case 'buried':
          return fact;
        default:
          return assertNever(fact);
      }
    });
    eachStep(({ decision }) => expect(decision.send.status).not.toBe('failed'), vague);
  });

  it('moves a queued send out of the queue by a release, a broadcast, a block or its end, and never back', () => {
    eachStep(({ before, fact, decision: { action, send } }) => {
      if (before.status !== 'queued') expect(send.status).not.toBe('queued');
      else if (send.status === 'queued') expect(send.broadcasts).toBe(0);
      else if (action !== 'dequeue' && fact.type !== 'answered')
        expect(['accept', 'confirm', 'revert', 'fail']).toContain(action);
    });
  });

  it('changes a failed send only by a block that pays it', () => {
    eachStep(({ before, fact, decision }) => {
      if (before.status !== 'failed' || decision.send.status === 'failed') return;
      expect(decision.action).toBe('confirm');
      expect(fact).toMatchObject({ type: 'mined', succeeded: true });
    });
    eachStep(({ before, decision: { action } }) => {
      if (before.status === 'failed') expect(['ignore', 'roll_back', 'revert', 'confirm']).toContain(action);
    });
    eachStep(({ before, decision: { action, send } }) => {
      if (before.status === 'failed' && action === 'revert')
        expect({ ...send, height: before.height }).toEqual(before);
    });
  });

  it('changes a confirmed send only by blocks', () => {
    eachStep(({ before, fact, decision }) => {
      if (before.status !== 'confirmed' || decision.send === before) return;
      expect(['mined', 'rolled_back']).toContain(fact.type);
      if (fact.type === 'rolled_back') expect(before.height).toBeGreaterThan(fact.to);
    });
  });

  it('emits each event once, in a consistent order', () => {
    fc.assert(
      fc.property(anyStart, fc.array(anyFact, { maxLength: 25 }), (start, life) => {
        let send = start;
        let last: string | null = null;
        for (const fact of life.filter((each) => fits(start, each))) {
          const { event, send: after } = decide(send, fact, NOW);
          send = after;
          if (event === null) continue;
          const told = `${event} ${send.versions.find(({ version }) => version === send.version)?.txid}`;
          expect(told).not.toBe(last);
          if (last?.startsWith('send.failed') === true) expect(event).toBe('send.confirmed');
          last = told;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('ignores repeated facts about blocks', () => {
    eachStep(({ fact, decision: { send } }) => {
      if (fact.type === 'answered' || fact.type === 'refused') return;
      const again = decide(send, fact, NOW);
      expect(again.send).toEqual(send);
      expect(again.event).toBeNull();
    });
  });

  it('stores nothing from blocks that a reorg removed', () => {
    eachStep(({ fact, decision: { send } }) => {
      if (fact.type !== 'rolled_back') return;
      if (send.height !== null) expect(send.height).toBeLessThanOrEqual(fact.to);
      if (isOpen(send) && send.displacedHeight !== null) {
        expect(send.displacedHeight).toBeLessThanOrEqual(fact.to);
      }
      if (send.status === 'confirmed') expect(send.height).not.toBeNull();
    });
  });
});

const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('offer' as const),
        version: number,
        answer: fc.constantFrom('heard' as const, 'lost' as const, 'refused' as const, 'busy' as const),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('mine' as const), version: number, succeeded: fc.boolean() }),
    },
    {
      weight: 9,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          'steal' as const,
          'wait' as const,
          'wait' as const,
          'look' as const,
          'look' as const,
          'read' as const,
          'read' as const,
          'read' as const,
          'raise' as const,
        ),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('fork' as const), depth: fc.integer({ min: 1, max: 6 }) }),
    },
  ),
  { minLength: 5, maxLength: 60 },
);

describe('a send on a simulated network without deep reorgs', () => {
  it('has the status that the blocks show, and is never paid after it failed', () => {
    fc.assert(
      fc.property(turns, (life) => {
        const world = new SendWorld(policy, versions);
        let send = fresh();
        let hasFailed = false;
        for (const turn of life) {
          for (const fact of world.play(world.stored(send), turn)) {
            const decision = decide(world.stored(send), fact, NOW);
            send = decision.send;
            if (decision.action === 'fail') hasFailed = true;
          }
          const { known, mined: block } = world;
          const isPaid = (each: typeof block) =>
            each !== null && each.succeeded && versions[each.version - 1]?.cancels === false;
          if (hasFailed) {
            expect(send.status).toBe('failed');
            expect(isPaid(block)).toBe(false);
            continue;
          }
          const inBlock = typeof known?.block === 'object' ? known.block : null;
          expect(send.status === 'confirmed').toBe(isPaid(inBlock));
          expect(send.height).toBe(inBlock === null ? null : known?.height);
          if (inBlock !== null) expect(send.version).toBe(inBlock.version);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('reaches a final status when no further facts arrive', () => {
    fc.assert(
      fc.property(turns, (life) => {
        const world = new SendWorld(policy, versions);
        let send = fresh();
        const play = (turn: Turn) => {
          for (const fact of world.play(world.stored(send), turn)) {
            send = decide(world.stored(send), fact, NOW).send;
          }
        };
        for (const turn of life) play(turn);
        play({ kind: 'offer', version: send.version, answer: 'heard' });
        play({ kind: 'mine', version: send.version, succeeded: true });
        for (let block = 0; block < 80 + DEPTH; block += 1) {
          play({ kind: 'wait' });
          play({ kind: 'read' });
          play({ kind: 'read' });
          play({ kind: 'look' });
        }
        expect(['confirmed', 'failed']).toContain(send.status);
      }),
      { numRuns: 500 },
    );
  });
});
