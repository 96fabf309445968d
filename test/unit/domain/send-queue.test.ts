import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  balanceAfterQueue,
  balanceExcludingQueue,
  accountBalanceChange,
  MAX_QUEUED,
  type QueueMember,
  readyForRelease,
} from '../../../src/domain/send/queue.ts';

const member = (position: number, isQueued: boolean, balanceChange = -10n): QueueMember => ({
  id: `snd_${position}`,
  position,
  isQueued,
  isPossiblyPaid: false,
  balanceChange,
});

const anyMember = fc
  .record({
    position: fc.integer({ min: 1, max: 1_000 }),
    isQueued: fc.boolean(),
    isPossiblyPaid: fc.boolean(),
    balanceChange: fc.bigInt({ min: -1_000n, max: 1_000n }),
  })
  .map((each): QueueMember => ({ id: `snd_${each.position}`, ...each }));
const anyQueue = fc.uniqueArray(anyMember, { selector: ({ position }) => position, maxLength: 30 });

describe('readyForRelease of a send queue', () => {
  it('releases the first send of the queue, and none while another send of the address is in flight', () => {
    fc.assert(
      fc.property(anyQueue, fc.boolean(), (all, isUnseen) => {
        const members = all.filter(({ isPossiblyPaid }) => isPossiblyPaid === isUnseen);
        const first = members.toSorted((a, b) => a.position - b.position)[0];
        const isDrawnOn = members.some(({ isQueued, balanceChange }) => !isQueued && balanceChange < 0n);
        expect(readyForRelease(members)).toEqual(first?.isQueued === true && !isDrawnOn ? [first] : []);
      }),
    );
  });

  it('releases sends from before a restore, which may already be paid, independently of all other sends', () => {
    fc.assert(
      fc.property(anyQueue, (members) => {
        const [unseen, others] = [true, false].map((isUnseen) =>
          members.filter(({ isPossiblyPaid }) => isPossiblyPaid === isUnseen),
        );
        expect(readyForRelease(members)).toEqual([
          ...readyForRelease(unseen ?? []),
          ...readyForRelease(others ?? []),
        ]);
      }),
    );
  });
});

describe('balanceAfterQueue', () => {
  it('is the balance of the address after all queued sends are mined, in any order', () => {
    fc.assert(
      fc.property(anyQueue, fc.bigInt({ min: 0n, max: 10_000n }), (members, balance) => {
        const landed = members.reduce((sum, { balanceChange }) => sum + balanceChange, balance);
        expect(balanceAfterQueue(balance, members) ?? 0n).toBe(landed > 0n ? landed : 0n);
        expect(balanceAfterQueue(balance, members.toReversed())).toBe(balanceAfterQueue(balance, members));
      }),
    );
  });

  it('allows no further send when the queue is full', () => {
    const waiting = Array.from({ length: MAX_QUEUED }, (_, at) => member(at + 2, true));
    expect(balanceAfterQueue(10_000n, [member(1, false), ...waiting.slice(1)])).not.toBeNull();
    expect(balanceAfterQueue(10_000n, [member(1, false), ...waiting])).toBeNull();
  });
});

describe('balanceExcludingQueue', () => {
  it('subtracts outgoing amounts of queued sends, and does not add their incoming amounts', () => {
    fc.assert(
      fc.property(anyQueue, fc.bigInt({ min: 0n, max: 10_000n }), (others, balance) => {
        const own = balanceExcludingQueue(balance, others);
        if (own === null) return;
        const taken = others.filter(({ balanceChange }) => balanceChange < 0n);
        expect(taken.every(({ isQueued, isPossiblyPaid }) => isQueued || isPossiblyPaid)).toBe(true);
        expect(taken.reduce((sum, { balanceChange }) => sum + balanceChange, balance)).toBe(own);
      }),
    );
  });

  it('allows no send while another send of the address is in flight', () => {
    expect(balanceExcludingQueue(100n, [member(1, false, -1n)])).toBeNull();
    expect(balanceExcludingQueue(100n, [member(1, false, 1n)])).toBe(100n);
    expect(balanceExcludingQueue(100n, [{ ...member(1, false, -1n), isPossiblyPaid: true }])).toBe(99n);
  });
});

describe('accountBalanceChange', () => {
  const keyPath = { coin: 'SOL', mode: 'live', account: 0, branch: 0, index: 0 } as const;
  const input = (address: string, amount: bigint) => ({
    ref: { txid: address, index: 0 },
    amount,
    address,
    keyPath,
  });

  it('adds up outgoing amounts, change and incoming amounts of one account, and ignores other accounts', () => {
    const plan = { inputs: [input('own', 100n), input('deposit', 50n)], destination: 'payee', amount: 120n };
    expect(accountBalanceChange({ ...plan, change: { address: 'own', amount: 25n } }, 'own')).toBe(-75n);
    const emptied = { ...plan, inputs: [input('deposit', 50n)], amount: 45n, change: null };
    expect(accountBalanceChange(emptied, 'own')).toBeNull();
    expect(accountBalanceChange({ ...emptied, destination: 'own' }, 'own')).toBe(45n);
  });
});
