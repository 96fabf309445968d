/** Payments, refund links, claims and forwards in any order, with restarts between: what is promised stays. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import type { RefundLinkView } from '../../../src/usecases/payments/refunds/present-link.ts';
import { sendClaims } from '../../../src/usecases/refunds/links/send-claims.ts';
import { LinkWorld } from '../refunds/link-world.ts';
import { ForwardWorld } from './forward-world.ts';

const COIN = 'LTC';
const KEPT = parseCoinAmount('0.2', COIN);
/** Each payment is 0.5 LTC. */
const PAID = parseCoinAmount('0.5', COIN);

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant('pay' as const) },
  { weight: 3, arbitrary: fc.constant('link' as const) },
  { weight: 2, arbitrary: fc.constant('claim' as const) },
  { weight: 4, arbitrary: fc.constant('forward' as const) },
  { weight: 1, arbitrary: fc.constantFrom('send claims' as const, 'mine' as const, 'restart' as const) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** One shop, with what it has promised. */
class Till {
  readonly links: LinkWorld;
  readonly forwards: ForwardWorld;
  readonly #unlinked: { id: string }[] = [];
  readonly #open: RefundLinkView[] = [];
  readonly #claimed: RefundLinkView[] = [];
  /** Links that the wallet could not pay when they were made. */
  readonly #uncovered: RefundLinkView[] = [];
  #payer = 0;

  constructor(links: LinkWorld) {
    this.links = links;
    this.forwards = new ForwardWorld(links.shop.world);
    this.forwards.change = { rates: links.deps().rates };
  }

  async play(step: Step): Promise<void> {
    switch (step) {
      case 'pay':
        this.#unlinked.push(await this.links.paid());
        return;
      case 'link': {
        const payment = this.#unlinked.pop();
        if (payment === undefined) return;
        const link = await this.links.newLink(payment);
        // Money that left before is not there to be promised.
        const isCovered = (await this.#balance()) >= (await this.#promised());
        (isCovered ? this.#open : this.#uncovered).push(link);
        return;
      }
      case 'claim': {
        const link = this.#open.pop();
        if (link === undefined) return;
        this.#payer += 1;
        await this.links.claim(link, this.#payer);
        this.#claimed.push(link);
        return;
      }
      case 'send claims':
        await sendClaims(this.links.deps());
        return;
      case 'forward':
        return this.#forward();
      case 'mine':
        return this.mine();
      case 'restart':
        this.links.shop.world.restart();
    }
  }

  async mine(): Promise<void> {
    await this.links.shop.control(COIN).mine(1);
    await this.links.shop.world.sync(COIN);
  }

  async #forward(): Promise<void> {
    const { world } = this.forwards;
    world.clock.advance(60_000);
    const before = await this.forwards.made();
    const balance = await this.#balance();
    await this.forwards.run();
    const [made, ...others] = (await this.forwards.made()).slice(before.length);
    expect(others).toEqual([]);
    if (made === undefined) return;
    const left = balance - BigInt(made.ordered);
    expect(left).toBeGreaterThanOrEqual(KEPT + (await this.#promised()));
    expect(await this.#balance()).toBeLessThanOrEqual(left);
    expect(BigInt(made.fee)).toBeLessThanOrEqual(BigInt(made.ordered) / 100n);
  }

  async #balance(): Promise<bigint> {
    return parseCoinAmount(await this.forwards.world.balance(COIN), COIN);
  }

  /** What links without a send may still take, with a tenth for the fee that the shop pays. */
  async #promised(): Promise<bigint> {
    const { db } = this.forwards.world;
    const unsent = await db.selectFrom('refund_links').select('id').where('sendId', 'is', null).execute();
    return (PAID + PAID / 10n) * BigInt(unsent.length);
  }

  /** Every promise that was covered can still be kept. */
  async claimAll(): Promise<void> {
    while (this.#open.length > 0) await this.play('claim');
    for (let round = 0; round < 3; round += 1) {
      await this.mine();
      this.forwards.world.clock.advance(60_000);
      await this.forwards.run();
      await sendClaims(this.links.deps());
    }
    for (const link of this.#claimed) {
      const row = { status: expect.stringMatching(/approved|paid/) as string, problem: null };
      expect(await this.links.linkNow(link)).toMatchObject(row);
    }
  }
}

it('forwards never take what open links and claims promise, by any interleaving', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 18 }), async (steps) => {
    await using links = await LinkWorld.open();
    const till = new Till(links);
    await till.forwards.rule(COIN, {
      to: links.payer(500),
      keep: formatCoinAmount(KEPT, COIN),
      threshold: '0.1',
      intervalMinutes: 1,
    });
    for (const one of steps) await till.play(one);
    await till.claimAll();
  });
  await fc.assert(property, { numRuns: 12 });
}, 300_000);
