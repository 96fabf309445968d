import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BroadcastResult } from '../../../src/domain/chain.ts';
import { decide } from '../../../src/domain/send/send-machine.ts';
import { awaitsBlock, isOpen } from '../../../src/domain/send/send-status.ts';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import {
  balanceAfterQueue,
  balanceExcludingQueue,
  type QueueMember,
  readyForRelease,
} from '../../../src/domain/send/queue.ts';
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
  readonly id: string;
  readonly position: number;
  /** It is older than a restore, and the operator has not said that it was not paid. */
  readonly isUnseen: boolean;
  readonly amount: bigint;
  readonly signed: Signed[];
  /** It failed because transactions that the backup does not contain had spent its money. */
  isUnfunded: boolean;
  state: SendState;
}

/** The daemon's sends, and a chain that loses, delays and forks away what it is given. */
class QueueWorld {
  sends: Held[] = [];
  /** What a restore brings back. */
  backup: { readonly sends: readonly Held[]; readonly chain: readonly Signed[][] } | null = null;
  isRestored = false;
  #ordered = 0;
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
      .map(({ id, isUnseen, position, amount, state }) => ({
        id,
        position,
        isQueued: state.status === 'queued',
        isPossiblyPaid: isUnseen,
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
    this.#ordered += 1;
    const id = `snd_${this.#ordered}`;
    const send: Held = { id, isUnseen: false, position, amount, signed: [], isUnfunded: false, state };
    this.sends.push(send);
    this.#sign(send);
  }

  /** The daemon's round: it crashes before or after the network has the bytes, or a backend that lags refuses them. */
  round(end: 'done' | 'crash_before' | 'crash_after' | 'refused'): void {
    for (const { id } of readyForRelease(this.members)) {
      const released = this.sends.find((send) => send.id === id);
      // What expired is signed again before it leaves the queue.
      if (released !== undefined && !this.#isExpired(released))
        this.#tell(released, { type: 'dequeued', policy });
      else if (released !== undefined) this.#offer(released, 'done');
    }
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
    const owner = this.#ownerOf(chosen);
    // A send that was ordered after the backup is not known any more.
    if (owner === undefined) return;
    this.#adopt(owner, chosen);
    this.#tell(owner, {
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

  backUp(): void {
    if (!this.isRestored) this.backup = { sends: this.sends.map(copyOf), chain: [...this.chain] };
  }

  /** The daemon starts from the backup, takes back the blocks that a fork replaced since and reads those that it lacks. */
  restore(): void {
    if (this.backup === null || this.isRestored) return;
    this.isRestored = true;
    const { sends, chain } = this.backup;
    this.sends = sends.map((send) => ({ ...copyOf(send), isUnseen: true }));
    const replaced = chain.findIndex((block, at) => block !== this.chain[at]);
    if (replaced !== -1)
      for (const send of this.sends) this.#tell(send, { type: 'rolled_back', to: replaced });
    for (const [at, block] of this.chain.entries()) {
      for (const signed of block) {
        const owner = this.#ownerOf(signed);
        if (owner === undefined || owner.state.height !== null) continue;
        this.#adopt(owner, signed);
        const { version } = signed;
        this.#tell(owner, { type: 'mined', version, height: at + 1, succeeded: true, fee: null });
      }
    }
  }

  /** The operator looks at the chain once nothing signed before can land any more. */
  confirmUnpaid(): void {
    this.sends = this.sends.map((send) => ({ ...send, isUnseen: false }));
  }

  /** A mined version that the restored daemon did not sign. */
  #adopt(send: Held, signed: Signed): void {
    if (send.signed.some(({ txid }) => txid === signed.txid)) return;
    send.signed.push(signed);
    const { version, txid } = signed;
    send.state = {
      ...send.state,
      versions: [...send.state.versions, { version, txid, fee: 0n, cancels: false }],
    };
  }

  #isExpired({ signed, state }: Held): boolean {
    const current = signed.find(({ version }) => version === state.version);
    return current === undefined || this.height - FINAL > current.lastValidHeight;
  }

  #offer(send: Held, end: 'done' | 'crash_after' | 'refused'): void {
    const current = send.signed.find(({ version }) => version === send.state.version);
    if (current === undefined) throw new Error('no such version');
    if (!this.#isExpired(send)) {
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
        isPossiblyPaid: send.isUnseen,
        mayGetInputsBack: false,
        isWithinWallet: false,
        finalHeight: null,
      },
    };
    if (this.#tell(send, { ...refused, renewal: 'untried' }) !== 'renew') return;
    const ahead = this.members.filter(({ position }) => position < send.position);
    const rest = ahead.length === 0 ? this.balance : balanceExcludingQueue(this.balance, ahead);
    if (rest === null || rest < send.amount) {
      send.isUnfunded = rest !== null;
      this.#tell(send, { ...refused, renewal: rest === null ? 'later' : 'impossible' });
      return;
    }
    this.#sign(send);
    this.#tell(send, { type: 'renewed' });
  }

  #sign(send: Held): void {
    const version = send.signed.length + 1;
    const txid = `${send.id}/${version}${this.isRestored ? 'r' : ''}`;
    send.signed.push({
      txid,
      sendId: send.id,
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

  #ownerOf({ sendId }: Signed): Held | undefined {
    return this.sends.find(({ id }) => id === sendId);
  }

  #tell(send: Held, fact: SendFact): string {
    const { action, send: state } = decide(send.state, fact, 0);
    send.state = state;
    return action;
  }
}

function copyOf(send: Held): Held {
  return { ...send, signed: [...send.signed] };
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

const anyRestore: fc.Arbitrary<(world: QueueWorld) => void> = fc.oneof(
  { weight: 10, arbitrary: anyStep },
  { weight: 1, arbitrary: fc.constant((w: QueueWorld) => w.backUp()) },
  { weight: 1, arbitrary: fc.constant((w: QueueWorld) => w.restore()) },
);

function requireSound(world: QueueWorld): void {
  expect(world.balance).toBeGreaterThanOrEqual(0n);
  const paid = world.landed.map(({ sendId }) => sendId);
  expect(new Set(paid).size).toBe(paid.length);
  if (world.isRestored) return;
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

/** Rounds and blocks until no send is open, or these no longer change anything. */
function playOut(world: QueueWorld): void {
  for (let rounds = 0; rounds < 40 * (world.sends.length + 1); rounds += 1) {
    if (!world.sends.some(({ state }) => isOpen(state))) return;
    world.round('done');
    world.mine(0);
    requireSound(world);
  }
}

const isOverOrPaid = ({ state }: Held): boolean =>
  state.status === 'confirmed' || state.error === 'cancelled before it was broadcast';

/** Only what was signed after the backup can take money that a send of the backup counts on. */
const isOverPaidOrUnfunded = (send: Held): boolean =>
  isOverOrPaid(send) || (send.isUnfunded && send.state.status === 'failed');

describe('the send queue of one Solana address, whatever the network does', () => {
  it('pays each send exactly once, in order, and never more than the balance', () => {
    let waited = 0;
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 5, maxLength: 80 }), (steps) => {
        const world = new QueueWorld();
        for (const step of steps) {
          step(world);
          requireSound(world);
        }
        waited += world.members.filter(({ isQueued }) => isQueued).length;
        playOut(world);
        expect(world.sends.every(isOverOrPaid)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(waited).toBeGreaterThan(500);
  });

  it('pays each send at most once after a restore, and delays no new send because of one from before the restore', () => {
    let [unseen, since] = [0, 0];
    fc.assert(
      fc.property(
        fc.array(anyRestore, { minLength: 5, maxLength: 60 }),
        fc.bigInt({ min: 1n, max: 100n }),
        (steps, amount) => {
          const world = new QueueWorld();
          for (const step of steps) {
            step(world);
            requireSound(world);
          }
          world.backUp();
          world.restore();
          // What was signed before has landed or expired, and the ledger has read it.
          for (let blocks = 0; blocks < LIFETIME + FINAL + 1; blocks += 1) world.mine(0);
          world.order(amount);
          playOut(world);
          unseen += world.members.filter(({ isPossiblyPaid }) => isPossiblyPaid).length;
          since += world.sends.filter(({ isUnseen }) => !isUnseen).length;
          expect(world.sends.filter(({ isUnseen }) => !isUnseen).every(isOverPaidOrUnfunded)).toBe(true);
          world.confirmUnpaid();
          playOut(world);
          expect(world.sends.every(isOverPaidOrUnfunded)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(Math.min(unseen, since)).toBeGreaterThan(300);
  });
});
