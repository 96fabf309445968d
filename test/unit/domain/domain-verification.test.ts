import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseMethod,
  judgeCheck,
  type CheckOutcome,
  type DomainState,
} from '../../../src/domain/domain-verification.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 20, 12);
const PROVEN: CheckOutcome = { kind: 'proven', method: 'dns' };
const ABSENT: CheckOutcome = { kind: 'absent', reason: 'nothing there' };
const UNREACHABLE: CheckOutcome = { kind: 'unreachable', reason: 'no answer' };
const UNKNOWN: CheckOutcome = { kind: 'unknown', reason: 'dns is silent' };

const chosen = () => chooseMethod(null, START);

/** Goes through checks at times after the start; answers the state and the events with their times. */
function run(checks: readonly (readonly [afterMs: number, CheckOutcome])[], from: DomainState = chosen()) {
  const events: string[] = [];
  let state = from;
  for (const [afterMs, outcome] of checks) {
    const judged = judgeCheck(state, outcome, { now: START + afterMs, random: 0.5 });
    state = judged.state;
    if (judged.event !== null) events.push(`${judged.event} +${afterMs / HOUR}h`);
  }
  return { state, events };
}

describe('judgeCheck for a domain', () => {
  it('verifies the domain after one proof and emits domain.verified once', () => {
    const { state, events } = run([
      [0, ABSENT],
      [HOUR, PROVEN],
      [2 * HOUR, PROVEN],
      [3 * HOUR, PROVEN],
    ]);
    expect(events).toEqual(['domain.verified +1h']);
    expect(state).toMatchObject({
      verifiedAt: START + HOUR,
      lastError: null,
      failures: 0,
      failedSince: null,
    });
  });

  it('revokes the verification after three failed checks over 72 hours, not earlier', () => {
    const failing = [0, 24, 48, 71.9].map((hours) => [hours * HOUR, ABSENT] as const);
    expect(run([[0, PROVEN], ...failing]).events).toEqual(['domain.verified +0h']);
    expect(run([[0, PROVEN], ...failing, [72 * HOUR, UNREACHABLE]]).events).toEqual([
      'domain.verified +0h',
      'domain.revoked +72h',
    ]);
  });

  it('does not revoke the verification after many failures in a short time, nor after two over a long time', () => {
    const many = Array.from({ length: 500 }, (_, index) => [index * 60_000, ABSENT] as const);
    expect(run([[0, PROVEN], ...many]).events).toEqual(['domain.verified +0h']);
    expect(
      run([
        [0, PROVEN],
        [HOUR, ABSENT],
        [200 * HOUR, ABSENT],
      ]).events,
    ).toEqual(['domain.verified +0h']);
  });

  it('restarts the count of failed checks after a proof', () => {
    const { events, state } = run([
      [0, PROVEN],
      [DAY, ABSENT],
      [2 * DAY, ABSENT],
      [3 * DAY, PROVEN],
      [4 * DAY, ABSENT],
      [5 * DAY, ABSENT],
      [6 * DAY, ABSENT],
    ]);
    expect(events).toEqual(['domain.verified +0h']);
    expect(state.failures).toBe(3);
  });

  it('keeps the verification for up to a month while name servers are unreachable', () => {
    const silent = Array.from({ length: 30 }, (_, day) => [(day + 1) * DAY, UNKNOWN] as const);
    const { events, state } = run([[0, PROVEN], ...silent]);
    expect(events).toEqual(['domain.verified +0h']);
    expect(state).toMatchObject({ failures: 0, lastError: 'dns is silent' });
    expect(run([[31 * DAY, UNKNOWN]], state).events).toEqual(['domain.revoked +744h']);
  });

  it('verifies the domain again after a revocation when the proof returns', () => {
    const lost = [1, 2, 3, 4].map((day) => [day * DAY, ABSENT] as const);
    expect(run([[0, PROVEN], ...lost, [10 * DAY, PROVEN]]).events).toEqual([
      'domain.verified +0h',
      'domain.revoked +96h',
      'domain.verified +240h',
    ]);
  });

  it('keeps the count of failed checks when another method is chosen, so that a new choice does not postpone a revocation', () => {
    const failing = run([
      [0, PROVEN],
      [DAY, ABSENT],
      [2 * DAY, ABSENT],
    ]).state;
    const again = chooseMethod(failing, START + 3 * DAY);
    expect(again).toMatchObject({ verifiedAt: START, provenMethod: 'dns', failures: 2 });
    expect(run([[4 * DAY, ABSENT]], again).events).toEqual(['domain.revoked +96h']);
  });
});

const nextAfter = (state: DomainState, outcome: CheckOutcome, afterMs: number, random = 0.5) => {
  const { nextCheckAt } = judgeCheck(state, outcome, { now: START + afterMs, random }).state;
  return nextCheckAt === null ? null : nextCheckAt - START - afterMs;
};

describe('nextCheckAt of a domain', () => {
  it('is shortly after the choice of a method, then every few minutes for 72 hours, daily for 30 days, then never', () => {
    expect((chosen().nextCheckAt ?? 0) - START).toBe(60_000);
    expect(nextAfter(chosen(), ABSENT, 60_000)).toBe(300_000);
    expect(nextAfter(chosen(), UNKNOWN, 72 * HOUR - 1)).toBe(300_000);
    expect(nextAfter(chosen(), ABSENT, 72 * HOUR)).toBe(DAY);
    expect(nextAfter(chosen(), ABSENT, 30 * DAY - 1)).toBe(DAY);
    expect(nextAfter(chosen(), ABSENT, 30 * DAY)).toBeNull();
  });

  it('is daily for a verified domain, with a jitter of a tenth, however long ago its method was chosen', () => {
    expect(nextAfter(chosen(), PROVEN, 0)).toBe(DAY);
    expect(nextAfter(chosen(), PROVEN, 400 * DAY)).toBe(DAY);
    expect(nextAfter(chosen(), PROVEN, 0, 0)).toBe(0.9 * DAY);
    expect(nextAfter(chosen(), PROVEN, 0, 0.999_999)).toBeLessThan(1.1 * DAY);
  });

  it('is no later than the moment at which the verification may be revoked', () => {
    const failing = run([
      [0, PROVEN],
      [10 * HOUR, ABSENT],
      [34 * HOUR, ABSENT],
    ]).state;
    expect(nextAfter(failing, ABSENT, 60 * HOUR)).toBe(22 * HOUR);
  });

  it('is daily for 30 days after a revocation', () => {
    const lost = run([
      [0, PROVEN],
      [100 * DAY, ABSENT],
      [102 * DAY, ABSENT],
      [104 * DAY, ABSENT],
    ]);
    expect(lost.events).toContain(`domain.revoked +${104 * 24}h`);
    expect((lost.state.nextCheckAt ?? 0) - START).toBe(105 * DAY);
    expect(nextAfter(lost.state, ABSENT, 133 * DAY)).toBe(DAY);
    expect(nextAfter(lost.state, ABSENT, 134 * DAY)).toBeNull();
  });
});

describe('judgeCheck on any sequence of checks', () => {
  const outcome = fc.constantFrom(PROVEN, ABSENT, UNREACHABLE, UNKNOWN);
  const steps = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 60 * HOUR }), outcome, fc.double({ min: 0, max: 0.999, noNaN: true })),
  );

  it('alternates verified and revoked events, emits one per change, and schedules the next check in the future', () => {
    fc.assert(
      fc.property(steps, (checks) => {
        let state = chosen();
        let now = START;
        let sinceProof = START;
        let told = false;
        for (const [waitMs, found, random] of checks) {
          now += waitMs;
          const judged = judgeCheck(state, found, { now, random });
          const isVerified = judged.state.verifiedAt !== null;
          expect(judged.event !== null).toBe(isVerified !== told);
          if (judged.event === 'domain.verified') expect(found.kind).toBe('proven');
          if (judged.event === 'domain.revoked') expect(now - sinceProof).toBeGreaterThanOrEqual(72 * HOUR);
          if (isVerified) expect(judged.state.nextCheckAt).not.toBeNull();
          expect(judged.state.nextCheckAt ?? now + 1).toBeGreaterThan(now);
          if (found.kind === 'proven') sinceProof = now;
          told = isVerified;
          state = judged.state;
        }
      }),
    );
  });
});
