import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { AppError, assertNever } from '../../../src/domain/errors.ts';
import { formatCoinAmount } from '../../../src/domain/money.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { cancelSend } from '../../../src/usecases/wallet/send/cancel-send.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { prepareSends } from '../../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { spentBudgets } from '../../_helpers/fee-oracle.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const EACH = 1_000_000n;
const OUTPUTS = 60;
const MOST_INPUTS = 12;
/** Refusals that a shop may meet at any time. */
const USUAL = [
  'INSUFFICIENT_BALANCE',
  'VALIDATION_INVALID',
  'INVALID_STATE',
  'FEE_ABOVE_LIMIT',
  'SEND_REJECTED',
];

const maxFee = fc.option(fc.bigInt(3_000n, 60_000n), { freq: 2 });
const which = fc.nat(30);
const steps = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('order'), tenths: fc.integer({ min: 1, max: 9 }), maxFee }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fees'), times: fc.bigInt(1n, 40n) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('hours'), count: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('mine') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fork'), depth: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('bump'), which, maxFee }) },
  fc.record({ kind: fc.constant('cancel'), which }),
);
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

/** A shop whose sends gather their outputs by parts while fees move and blocks come and go. */
class Life {
  /** What the merchant agreed to for each send, by its id, atoms. */
  readonly limits = new Map<string, bigint>();
  readonly sim: SimulatedWorld;

  constructor(sim: SimulatedWorld) {
    this.sim = sim;
  }

  async perform(step: Step): Promise<void> {
    await this.#act(step).catch((error: unknown) => {
      if (!(error instanceof AppError) || !USUAL.includes(error.code)) throw error;
    });
  }

  async check(): Promise<void> {
    for (const { send, worst } of await spentBudgets(this.sim.world.db)) {
      expect(worst).toBeLessThanOrEqual(BigInt(send.maxFee));
      expect(worst).toBeLessThanOrEqual(this.limits.get(send.id) ?? worst);
    }
  }

  async #act(step: Step): Promise<void> {
    const { deps, db, merchant } = this.sim.world;
    switch (step.kind) {
      case 'order': {
        const limit = step.maxFee === null ? {} : { maxFee: formatCoinAmount(step.maxFee, 'BTC') };
        const amount = formatCoinAmount((BigInt(OUTPUTS) * EACH * BigInt(step.tenths)) / 10n, 'BTC');
        const { id } = await sendCoins(deps, this.sim.order('BTC', amount, limit));
        if (step.maxFee !== null) this.limits.set(id, step.maxFee);
        return;
      }
      case 'fees': {
        this.sim.line.quote = null;
        const quote = await this.sim.world.adapter('BTC').feeQuote();
        this.sim.line.quote = { ...quote, rate: quote.rate * step.times };
        return;
      }
      case 'hours':
        for (let hour = 0; hour < step.count; hour += 1) await this.#hour();
        return;
      case 'mine':
        return this.sim.mine('BTC');
      case 'fork': {
        const mined = await db.selectFrom('sends').select('txid').where('height', 'is not', null).execute();
        const txids = mined.flatMap(({ txid }) => (txid === null ? [] : [txid]));
        if (txids.length === 0) return;
        await this.sim
          .control('BTC')
          .reorg({ depth: step.depth, fate: 'dropped' })
          .catch(() => undefined);
        return this.sim.world.sync('BTC');
      }
      case 'bump':
      case 'cancel': {
        const open = await db
          .selectFrom('sends')
          .select('id')
          .where('status', 'not in', ['confirmed', 'failed'])
          .execute();
        const sendId = open[step.which % Math.max(1, open.length)]?.id;
        if (sendId === undefined) return;
        const named = { merchantId: merchant.id, sendId };
        if (step.kind === 'cancel') {
          await cancelSend(deps, named);
          return;
        }
        const limit = step.maxFee === null ? {} : { maxFee: formatCoinAmount(step.maxFee, 'BTC') };
        await bumpSend(deps, { ...named, ...limit });
        if (step.maxFee !== null) this.limits.set(sendId, step.maxFee);
        return;
      }
      default:
        return assertNever(step);
    }
  }

  /** The daemon's own actions within an hour. */
  async #hour(): Promise<void> {
    const { deps, clock } = this.sim.world;
    const chain = this.sim.world.chain('BTC');
    clock.advance(deps.policy.bumpAfterMs);
    await advanceSends(deps, chain);
    await prepareSends(deps, chain);
    await bumpSends(deps, chain);
    await this.sim.world.sync('BTC');
  }
}

it('a send, its consolidations and its CPFP children never cost more than its fee budget, nor more than the merchant allowed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 15, maxLength: 30 }), async (path) => {
      const sim = await openSimulatedWorld({ maxVersions: 100 }, { mostInputs: MOST_INPUTS });
      try {
        await sim.fund('BTC', ...Array.from({ length: OUTPUTS }, () => EACH));
        await sim.mine('BTC', 4);
        const life = new Life(sim);
        for (const step of path) {
          await life.perform(step);
          await life.check();
        }
      } finally {
        await sim.close();
      }
    }),
    // Worlds take seconds: one failure is shown as it came.
    { numRuns: 5, endOnFailure: true },
  );
});
