import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BroadcastResult } from '../../../src/domain/chain.ts';
import { decide, awaitsBlock, isOpen } from '../../../src/domain/send/machine.ts';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import { balanceAfterQueue, nextToRelease, type QueueMember } from '../../../src/domain/send/queue.ts';
import type { SendFact, SendState } from '../../../src/domain/send/types.ts';

const policy = DEFAULT_SEND_POLICY;
/** Blocks in which a transaction can land after it was signed. */
const LIFETIME = 6;
/** Blocks above it make a block final. */
const FINAL = 3;
const FUNDS = 1_000n;

interface Signed {
  readonly txid: string;
  readonly sendId: string;
  readonly version: number;
  readonly amount: bigint;
  readonly lastValidHeight: number;
}

interface Held {
  readonly position: number;
  readonly amount: bigint;
  readonly signed: Signed[];
  state: SendState;
}

/** The daemon's sends, and a chain that loses, delays and forks away what it is given. */
class QueueWorld {
  readonly sends: Held[] = [];
  /** One list of landed transactions for each block. */
  chain: Signed[][] = [];
  /** What leaders may still include. */
  pool = new Set<Signed>();
  hasForked = false;

  get height(): number {
    return this.chain.length;
  }

  get landed(): Signed[] {
    return this.chain.flat();
  }

  /** The ledger reads each block at once. */
  get balance(): bigint {
    return this.landed.reduce((sum, { amount }) => sum - amount, FUNDS);
  }

  get members(): QueueMember[] {
    return this.sends
      .filter(({ state }) => awaitsBlock(state))
      .map(({ position, amount, state }) => ({
        id: `snd_${position}`,
        position,
        isQueued: state.status === 'queued',
        balanceChange: -amount,
      }));
  }

  order(amount: bigint): void {
    const available =
      this.members.length === 0 ? this.balance : (balanceAfterQueue(this.balance, this.members) ?? 0n);
    if (amount > available) return;
    const position = this.sends.length + 1;
    const status = this.members.length === 0 ? 'signed' : 'queued';
    const state: SendState = {
      coin: 'SOL',
      mode: 'live',
      status,
      versions: [],
      version: 1,
      fee: 0n,
      height: null,
      displacedHeight: null,
      error: null,
      broadcasts: 0,
      nextBroadcastAt: 0,
      announcedTxid: null,
      confirmedTxid: null,
    };
    const send: Held = { position, amount, signed: [], state };
    this.sends.push(send);
    this.#sign(send);
  }

  /** The daemon's round: it crashes before or after the network has the bytes, or a backend that lags refuses them. */
  round(end: 'done' | 'crash_before' | 'crash_after' | 'refused'): void {
    const next = nextToRelease(this.members);
    const released = this.sends.find(({ position }) => position === next?.position);
    if (released !== undefined) this.#tell(released, { type: 'dequeued', policy });
    for (const send of this.sends) {
      if (!awaitsBlock(send.state) || send.state.status === 'queued' || end === 'crash_before') continue;
      this.#offer(send, end);
    }
  }

  mine(pick: number): void {
    const candidates = [...this.pool].filter((each) => this.#canLand(each));
    const chosen = candidates[pick % Math.max(1, candidates.length)];
    this.chain.push(chosen === undefined ? [] : [chosen]);
    if (chosen === undefined) return;
    const { version } = chosen;
    this.#tell(this.#ownerOf(chosen), {
      type: 'mined',
      version,
      height: this.height,
      succeeded: true,
      fee: null,
    });
  }

  drop(pick: number): void {
    const lost = [...this.pool][pick % Math.max(1, this.pool.size)];
    if (lost !== undefined) this.pool.delete(lost);
  }

  fork(depth: number): void {
    const to = Math.max(0, this.height - Math.min(depth, FINAL - 1));
    this.hasForked ||= to < this.height && this.chain.slice(to).flat().length > 0;
    this.chain = this.chain.slice(0, to);
    for (const send of this.sends) this.#tell(send, { type: 'rolled_back', to });
  }

  cancel(pick: number): void {
    const send = this.sends[pick % Math.max(1, this.sends.length)];
    if (send !== undefined) this.#tell(send, { type: 'withdrawn' });
  }

  #offer(send: Held, end: 'done' | 'crash_after' | 'refused'): void {
    const current = send.signed.find(({ version }) => version === send.state.version);
    if (current === undefined) throw new Error('no such version');
    const isFinal = this.height - FINAL > current.lastValidHeight;
    if (!isFinal) {
      const result: BroadcastResult =
        end === 'refused' ? { kind: 'rejected', reason: 'not enough lamports' } : { kind: 'accepted' };
      if (result.kind === 'accepted' && current.lastValidHeight > this.height) this.pool.add(current);
      if (end === 'crash_after') return;
      const { version } = current;
      this.#tell(send, { type: 'answered', version, result, neverOffered: false, policy });
      return;
    }
    const isThere = this.landed.some(({ txid }) => txid === current.txid);
    const refused = {
      type: 'refused' as const,
      reason: 'expired',
      policy,
      evidence: {
        fates: new Map(
          send.signed.map(({ txid }) => [txid, isThere ? ('present' as const) : ('gone' as const)]),
        ),
        height: this.height,
        isOnLedgerTip: true,
        mayBePaidUnseen: false,
        mayGetInputsBack: false,
      },
    };
    if (this.#tell(send, { ...refused, renewal: 'untried' }) !== 'renew') return;
    this.#sign(send);
    this.#tell(send, { type: 'renewed' });
  }

  #sign(send: Held): void {
    const version = send.signed.length + 1;
    const txid = `${send.position}/${version}`;
    send.signed.push({
      txid,
      sendId: `snd_${send.position}`,
      version,
      amount: send.amount,
      lastValidHeight: this.height + LIFETIME,
    });
    const versions = [...send.state.versions, { version, txid, fee: 0n, cancels: false }];
    send.state = { ...send.state, versions };
  }

  #canLand(signed: Signed): boolean {
    if (this.landed.some(({ txid }) => txid === signed.txid)) return false;
    return signed.lastValidHeight > this.height && signed.amount <= this.balance;
  }

  #ownerOf({ sendId }: Signed): Held {
    const owner = this.sends.find(({ position }) => `snd_${position}` === sendId);
    if (owner === undefined) throw new Error('nobody signed it');
    return owner;
  }

  #tell(send: Held, fact: SendFact): string {
    const { action, send: state } = decide(send.state, fact, 0);
    send.state = state;
    return action;
  }
}

const pick = fc.nat(20);
const anyStep: fc.Arbitrary<(world: QueueWorld) => void> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.bigInt({ min: 1n, max: 400n }).map((amount) => (w: QueueWorld) => w.order(amount)),
  },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom('done' as const, 'crash_before' as const, 'crash_after' as const, 'refused' as const)
      .map((end) => (w: QueueWorld) => w.round(end)),
  },
  { weight: 5, arbitrary: pick.map((which) => (w: QueueWorld) => w.mine(which)) },
  { weight: 2, arbitrary: pick.map((which) => (w: QueueWorld) => w.drop(which)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }).map((depth) => (w: QueueWorld) => w.fork(depth)) },
  { weight: 1, arbitrary: pick.map((which) => (w: QueueWorld) => w.cancel(which)) },
);

function requireSound(world: QueueWorld): void {
  expect(world.balance).toBeGreaterThanOrEqual(0n);
  const paid = world.landed.map(({ sendId }) => sendId);
  expect(new Set(paid).size).toBe(paid.length);
  for (const { state, signed } of world.sends) {
    // No second transaction exists while the first may land.
    const alive = signed.filter(
      ({ txid, lastValidHeight }) =>
        lastValidHeight > world.height || world.landed.some((each) => each.txid === txid),
    );
    expect(alive.length).toBeLessThanOrEqual(1);
    if (state.status === 'queued') expect(signed.some((each) => world.pool.has(each))).toBe(false);
  }
  const inNetwork = world.members.filter(({ isQueued }) => !isQueued);
  if (world.hasForked) return;
  expect(inNetwork.length).toBeLessThanOrEqual(1);
  const order = world.landed.map(({ sendId }) => Number(sendId.slice(4)));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
}

describe('the sends of one address, whatever the network does', () => {
  it('are paid at most once each, in order, never beyond the balance, and all arrive in the end', () => {
    let waited = 0;
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 5, maxLength: 80 }), (steps) => {
        const world = new QueueWorld();
        for (const step of steps) {
          step(world);
          requireSound(world);
        }
        waited += world.members.filter(({ isQueued }) => isQueued).length;
        for (let rounds = 0; rounds < 40 * (world.sends.length + 1); rounds += 1) {
          if (!world.sends.some(({ state }) => isOpen(state))) break;
          world.round('done');
          world.mine(0);
          requireSound(world);
        }
        const left = world.sends.filter(({ state }) => state.status !== 'confirmed');
        expect(left.every(({ state }) => state.error === 'cancelled before it was broadcast')).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(waited).toBeGreaterThan(500);
  });
});
