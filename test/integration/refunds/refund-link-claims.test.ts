import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChainError, UnsendableAmount } from '../../../src/domain/chain.ts';
import { createTranslator } from '../../../src/http/checkout/negotiate-language.ts';
import { refundPage } from '../../../src/http/refund-page/document.ts';
import { LANGUAGES, type Language } from '../../../src/i18n/languages.ts';
import type { MeasuredChain } from '../../../src/metrics/metric-family.ts';
import { sendFamilies } from '../../../src/metrics/ledger-families.ts';
import { markRestored } from '../../../src/usecases/wallet/lifecycle/mark-restored.ts';
import type { RefundLinkView } from '../../../src/usecases/payments/refunds/present-link.ts';
import { sendClaims } from '../../../src/usecases/refunds/links/send-claims.ts';
import { LinkWorld } from './link-world.ts';

let world: LinkWorld;

beforeEach(async () => {
  world = await LinkWorld.open();
});
afterEach(async () => world[Symbol.asyncDispose]());

const approve = async (link: RefundLinkView, named?: string | null) => world.approve(link, named);

const refusing = () => world.nodeThat({ broadcast: async () => ({ kind: 'rejected', reason: 'no thanks' }) });

const downNode = () =>
  world.nodeThat({
    feeQuote: async () => {
      throw new ChainError('unavailable', 'connection refused');
    },
  });

async function pageIn(language: Language, link: RefundLinkView): Promise<string> {
  return refundPage({ link: await world.page(link), language, say: createTranslator(language) }, null);
}

const languages = LANGUAGES;

const chains = async () => [{ coin: 'LTC', mode: 'sandbox' }] as MeasuredChain[];

const cents = { wish: { kind: 'amount', amount: '0.10', currency: 'USD' } } as const;

describe('the approval of a refund claim', () => {
  it('applies only to the claim that it names, and not to a later one of the same link', async () => {
    const payment = await world.paid();
    await world.paid();
    const link = await world.newLink(payment, { approval: true });
    await world.claim(link);
    const { claimId: first } = await world.linkNow(link);
    expect(first).toMatch(/^rcl_/);
    await approve(link, first);
    await expect(approve(link, 'rcl_other')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect((await approve(link, first)).status).toBe('approved');
    await sendClaims(refusing());
    expect(await world.linkNow(link)).toMatchObject({ status: 'open', claimId: null });
    for (const address of [8, 7]) {
      await world.claim(link, address);
      await expect(approve(link, first)).rejects.toMatchObject({ code: 'INVALID_STATE' });
      expect(await world.linkNow(link)).toMatchObject({ status: 'claimed', approvedAt: null });
      await approve(link, (await world.linkNow(link)).claimId);
      await sendClaims(address === 8 ? refusing() : world.deps());
    }
    expect((await world.linkNow(link)).status).toBe('paid');
  });

  it('is refused after a restore, because the merchant must check the chain first', async () => {
    const payment = await world.paid();
    await world.paid();
    const link = await world.newLink(payment, { approval: true });
    await world.claim(link);
    const { claimId: before } = await world.linkNow(link);
    await markRestored(world.deps().db, world.deps().clock);
    await expect(approve(link, before)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect((await approve(link, (await world.linkNow(link)).claimId)).status).toBe('approved');
  });
});

describe('a refund claim that is made while the node is down', () => {
  it('is dropped with a message to the payer once the node reports the amount as dust', async () => {
    const payment = await world.paid();
    await world.paid();
    const link = await world.newLink(payment, { ...cents, rate: 'current' });
    // At this price it is ten atoms.
    await world.claim(link, 7, { ...downNode(), rates: world.deps('1000000').rates });
    await sendClaims(downNode());
    expect((await world.linkNow(link)).status).toBe('claimed');
    await sendClaims(world.deps());
    const open = await world.linkNow(link);
    expect(open).toMatchObject({ status: 'open', destination: null, claimId: null, sendId: null });
    expect(open.problem).toContain('less than the network carries');
    expect(await world.page(link)).toMatchObject({ status: 'open', reopenedBy: 'amount', claim: null });
    expect((await world.shop.eventsOf(payment)).slice(-2)).toEqual(['refund.claimed', 'refund_failed']);
    const pages = await Promise.all(languages.map(async (language) => pageIn(language, link)));
    expect(pages[languages.indexOf('en')]).toContain(
      'Your claim could not be sent: the amount is too small for the network',
    );
    const told = pages.map((page) => /<p class="notice" role="alert">([^<]{40,})<\/p>/.exec(page)?.[1]);
    expect(new Set(told).size).toBe(languages.length);
    await world.claim(link, 8);
    expect((await world.page(link)).reopenedBy).toBeNull();
    await sendClaims(world.deps());
    expect(await world.linkNow(link)).toMatchObject({ status: 'paid', problem: null });
    expect((await world.read(payment)).refunds).toHaveLength(1);
  });

  it('is dropped when the fee exceeds its amount', async () => {
    const payment = await world.paid();
    await world.paid();
    const link = await world.newLink(payment, { ...cents, deductFee: true });
    await world.claim(link, 7, downNode());
    const quote = await world.shop.world.adapter('LTC').feeQuote();
    await sendClaims(world.nodeThat({ feeQuote: async () => ({ ...quote, rate: 1_000_000n }) }));
    expect((await world.linkNow(link)).status).toBe('open');
    expect((await world.page(link)).reopenedBy).toBe('amount');
    expect((await world.read(payment)).refunds).toEqual([]);
  });

  it('is dropped when its destination rejects payments', async () => {
    const payment = await world.paid();
    await world.paid();
    const link = await world.newLink(payment, { approval: true });
    await world.claim(link, 7, downNode());
    await approve(link);
    await sendClaims(
      world.nodeThat({
        feeQuote: async () => {
          throw new UnsendableAmount('this address uses too much gas');
        },
      }),
    );
    expect(await world.linkNow(link)).toMatchObject({
      status: 'open',
      approval: true,
      approvedAt: null,
      problem: expect.stringContaining('too much gas') as string,
    });
    expect((await world.page(link)).reopenedBy).toBe('destination');
  });
});

it('a refund claim whose amount falls below the dust limit after it was made waits for a lower fee', async () => {
  const payment = await world.paid();
  await world.paid();
  const link = await world.newLink(payment, { ...cents, deductFee: true });
  await world.claim(link);
  const quote = await world.shop.world.adapter('LTC').feeQuote();
  await sendClaims(world.nodeThat({ feeQuote: async () => ({ ...quote, rate: 1_000_000n }) }));
  expect(await world.linkNow(link)).toMatchObject({ status: 'claimed', destination: world.payer() });
  await sendClaims(world.deps());
  expect((await world.linkNow(link)).status).toBe('paid');
});

it('the metrics show how long the oldest sendable refund claim has waited, excluding claims that need approval', async () => {
  const { clock, deps } = world.shop.world;
  const age = async () => {
    const families = sendFamilies({ ...deps, chains });
    const family = families.find(({ name }) => name === 'tilld_refund_claim_oldest_unsent_age_seconds');
    return family?.read();
  };
  const labels = { coin: 'LTC', mode: 'sandbox' };
  const waiting = await world.newLink(await world.paid(), { approval: true });
  const link = await world.newLink(await world.paid());
  await world.paid();
  await world.claim(waiting, 7, downNode());
  expect(await age()).toEqual([[labels, 0]]);
  clock.advance(1_000);
  await world.claim(link, 8, downNode());
  clock.advance(5_000);
  expect(await age()).toEqual([[labels, 5]]);
  await approve(waiting);
  clock.advance(2_000);
  expect(await age()).toEqual([[labels, 7]]);
  await sendClaims(downNode());
  expect(await age()).toEqual([[labels, 7]]);
  await sendClaims(world.deps());
  expect(await age()).toEqual([[labels, 0]]);
});

it('a refund claim that is cancelled during a request to the node stays cancelled, even if its destination rejects payments', async () => {
  const payment = await world.paid();
  await world.paid();
  const link = await world.newLink(payment);
  await world.claim(link, 7, downNode());
  const { db } = world.deps();
  await sendClaims(
    world.nodeThat({
      feeQuote: async () => {
        await db.updateTable('refund_links').set({ status: 'cancelled' }).where('id', '=', link.id).execute();
        throw new UnsendableAmount('this address uses too much gas');
      },
    }),
  );
  expect((await world.linkNow(link)).status).toBe('cancelled');
});
