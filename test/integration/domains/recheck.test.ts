import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recheckDomains } from '../../../src/usecases/shops/domains/recheck-domains.ts';
import { DomainWorld } from '../../_helpers/domains/domain-world.ts';
import { newMerchant } from '../../_helpers/http-app.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let world: DomainWorld;
beforeAll(async () => {
  world = await DomainWorld.open();
});
afterAll(async () => world.close());
beforeEach(async () => world.newShop());

describe('the cron job that checks domains', () => {
  it('verifies a domain a minute after a method was chosen, or minutes after the DNS record appears', async () => {
    await world.choose('dns');
    expect(((await world.stored())?.nextCheckAt ?? 0) - world.app.now()).toBeLessThanOrEqual(60_000);
    await world.nextLook();
    expect(await world.listed()).toBe(false);
    world.publish();
    await world.nextLook();
    expect(await world.listed()).toBe(true);
    expect(await world.types()).toEqual(['domain.verified']);
  });

  it('keeps a domain verified during failures of less than 72 hours, then revokes the verification once', async () => {
    await world.choose('dns');
    world.publish();
    await world.found();
    world.unpublish();
    const lost: number[] = [];
    for (let looks = 0; looks < 8 && (await world.listed()) === true; looks += 1) {
      await world.nextLook();
      lost.push(((await world.stored())?.checkedAt ?? 0) / HOUR);
    }
    expect(await world.listed()).toBe(false);
    expect(lost.length).toBeGreaterThanOrEqual(4);
    expect((lost.at(-1) ?? 0) - (lost[0] ?? 0)).toBeGreaterThanOrEqual(72);
    expect((lost.at(-1) ?? 0) - (lost[0] ?? 0)).toBeLessThan(73);
    expect(await world.types()).toEqual(['domain.verified', 'domain.revoked']);
    expect((await world.events()).at(-1)?.data.domain).toMatchObject({
      isVerified: false,
      method: 'dns',
      verifiedAt: null,
      lastError: expect.stringContaining('TXT'),
    });
    await world.nextLook();
    expect(await world.types()).toHaveLength(2);
    world.publish();
    await world.nextLook();
    expect(await world.types()).toEqual(['domain.verified', 'domain.revoked', 'domain.verified']);
  });

  it('checks domains immediately whose last check lies in the future after the clock was set back, and then on schedule', async () => {
    await world.choose('dns');
    world.publish();
    world.app.advance(-20 * HOUR);
    await world.app.domainChecks.recheck();
    expect(await world.listed()).toBe(true);
    expect((await world.stored())?.checkedAt).toBeLessThanOrEqual(world.app.now());
    world.app.advance(-20 * HOUR);
    await world.app.domainChecks.recheck();
    expect((await world.stored())?.checkedAt).toBeLessThanOrEqual(world.app.now());
    const { checkedAt: at } = (await world.stored()) ?? {};
    world.app.advance(1_000);
    await world.app.domainChecks.recheck();
    expect((await world.stored())?.checkedAt).toBe(at);
    world.app.advance(40 * HOUR);
  });

  it('keeps a domain verified while name servers are silent', async () => {
    await world.choose('dns');
    world.publish();
    await world.found();
    world.dns.set('TXT', `_tilld-challenge.${world.shop.domain.name}`, 'servfail');
    for (let looks = 0; looks < 6; looks += 1) await world.nextLook();
    expect(await world.listed()).toBe(true);
    expect(await world.found()).toMatchObject({
      verified: true,
      lastError: expect.stringContaining('ESERVFAIL'),
    });
  });

  it('continues to check the current proof when the merchant of a verified domain only opens another method', async () => {
    await world.choose('dns');
    world.publish();
    await world.found();
    await world.choose('file');
    for (let looks = 0; looks < 6; looks += 1) await world.nextLook();
    expect(await world.listed()).toBe(true);
    expect(await world.found()).toMatchObject({ verified: true, method: 'dns', lastError: null });
    world.unpublish();
    for (let looks = 0; looks < 6; looks += 1) await world.nextLook();
    expect(await world.listed()).toBe(false);
  });

  it('stops checking an unverified domain after 30 days, until the merchant requests a check', async () => {
    await world.choose('dns');
    const start = world.app.now();
    world.app.advance(29.95 * DAY);
    await world.app.domainChecks.recheck();
    await world.nextLook();
    expect(world.app.now() - start).toBeGreaterThan(30 * DAY);
    expect((await world.stored())?.nextCheckAt).toBeNull();
    world.publish();
    expect((await world.found()).verified).toBe(true);
    expect((await world.stored())?.nextCheckAt).toBeGreaterThan(world.app.now());
  });

  it('checks each due domain once, a hundred per run, and repeats a check whose result was not stored', async () => {
    await world.app.db.updateTable('domain_checks').set({ nextCheckAt: null }).execute();
    const names = new Set<string>();
    for (let index = 0; index < 105; index += 1) {
      const { id, domain, auth } = await newMerchant(world.app, world.token);
      await world.choose('dns', auth.secret, id);
      names.add(domain.name);
    }
    world.app.advance(61_000);
    const looked: string[] = [];
    let fail = false;
    const deps = {
      db: world.app.db,
      clock: world.app,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      wakeWebhooks: () => {},
      checker: {
        check: async ({ domain }: { domain: string }) => {
          looked.push(domain);
          if (fail) throw new Error('a bug');
          return { kind: 'absent' as const, reason: 'nothing' };
        },
      },
    };
    expect(await recheckDomains(deps)).toBe(100);
    fail = true;
    expect(await recheckDomains(deps)).toBe(5);
    expect(await recheckDomains(deps)).toBe(0);
    expect(new Set(looked)).toEqual(names);
    world.app.advance(10 * 60_000);
    fail = false;
    looked.length = 0;
    await recheckDomains(deps);
    await recheckDomains(deps);
    expect(new Set(looked)).toEqual(names);
  });

  it('runs once when two calls start it at the same time', async () => {
    await world.choose('dns');
    const row = await world.stored();
    expect(row?.nextCheckAt).toBeGreaterThan(0);
    world.publish();
    world.app.advance(DAY);
    await Promise.all([world.app.domainChecks.recheck(), world.app.domainChecks.recheck()]);
    expect(await world.types()).toEqual(['domain.verified']);
  });
});
