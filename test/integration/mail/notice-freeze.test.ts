/** Mails about a wallet that is frozen or unfrozen, by SMTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { noticeTexts } from '../../../src/usecases/notices/index.ts';
import type { Shop } from '../../_helpers/api-client.ts';
import { arrived, choose, openShop, to } from '../../_helpers/notice-mails.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { readable, SmtpSink, subjectOf } from '../../_helpers/smtp-sink.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const PASSWORD = 'correct horse battery';
const HOUR_MS = 3_600_000;
const ENV = { TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator' };

let sink: SmtpSink;
let till: Till;
let shop: Shop;
let email: string;
let other: { shop: Shop; email: string };

beforeAll(async () => {
  sink = await SmtpSink.start();
  till = await Till.start({
    ...ENV,
    TILLD_SMTP_URL: sink.url,
    TILLD_BASE_URL: 'https://pay.example.com',
  });
  await till.ready();
  ({ shop, email } = await openShop(sink, till));
  other = await openShop(sink, till);
});
afterAll(async () => {
  await till?.end();
  await sink?.stop();
});

const tillctl = async (...args: string[]) =>
  expect(await runTool('tillctl', [...args, '--data-dir', till.dataDir], { env: ENV })).toMatchObject({
    code: 0,
  });
const freeze = async (reason: string) =>
  till.api.must('POST', '/merchant/wallet/freeze', { token: shop.secretKey, body: { reason } });
const unfreeze = async () => {
  const session = await SessionClient.signIn(till.api.baseUrl, { email, password: PASSWORD });
  await session.call('POST', '/auth/step-up', { password: PASSWORD });
  const { status } = await session.call('POST', '/merchant/wallet/unfreeze', { merchantId: shop.merchantId });
  expect(status).toBe(200);
};

/** A part of a text without its values. */
const sentenceOf = (text: string): string => text.split(/\{\w+\}/).at(-1) ?? '';

describe('emails about a frozen wallet', () => {
  it('are sent once at the freeze, without its reason, and once at its end', async () => {
    await freeze('Call +1 555 0100 at once');
    await freeze('again, which changes nothing');
    const [mail] = await arrived(sink, email, /the wallet was frozen/);
    expect(subjectOf(mail!)).toBe('Shop: the wallet was frozen');
    const text = readable(mail!.raw);
    expect(text).toContain(`https://pay.example.com/dashboard/shop/${shop.merchantId}/wallet`);
    expect(text).not.toContain('555');
    expect(mail!.raw).not.toContain('List-Unsubscribe');
    await unfreeze();
    await arrived(sink, email, /a freeze of the wallet was lifted/);
    expect(to(sink, email, /was frozen/)).toHaveLength(1);
    expect(to(sink, other.email, /wallet/)).toHaveLength(0);
  });

  it('cannot be switched off', async () => {
    const { notices } = await choose(shop, {});
    expect(notices.kinds).toContainEqual({ kind: 'freeze', enabled: true, fixed: true });
    const refused = await till.api.call('PATCH', '/merchant/notices', {
      token: shop.token,
      body: { merchantId: shop.merchantId, kinds: { freeze: false } },
    });
    expect(refused.body.error?.code).toBe('VALIDATION_INVALID');
  });

  it('are sent to the members of every shop after tillctl freeze while the daemon runs', async () => {
    await tillctl('freeze', '--reason', 'the host was broken into');
    for (const address of [email, other.email])
      await arrived(sink, address, /the operator has frozen all wallets/);
    await tillctl('unfreeze');
    await arrived(sink, email, /was lifted/, 2);
    await arrived(sink, other.email, /was lifted/);
  });

  it.each(LANGUAGES)('are sent when the daemon starts after tillctl freeze, in %s', async (language) => {
    // Its own shop, since a person gets a limited number of mails an hour about one.
    const { shop: frozen, email: owner } = await openShop(sink, till);
    await choose(frozen, { language });
    const before = sink.mails.length;
    await till.down();
    await tillctl('freeze', '--shop', frozen.merchantId);
    await tillctl('unfreeze', '--shop', frozen.merchantId);
    await till.up();
    await arrived(sink, owner, /./, sink.mails.filter(({ to: [name] }) => name === owner).length + 2);
    const { bodies } = noticeTexts(language);
    const texts = sink.mails.slice(before).map(({ raw }) => Buffer.from(readable(raw), 'latin1').toString());
    expect(texts).toEqual([
      expect.stringContaining(sentenceOf(bodies.wallet_frozen)),
      expect.stringContaining(sentenceOf(bodies.wallet_unfrozen)),
    ]);
  });

  it('are not sent when the freeze is two days old', async () => {
    await choose(shop, { language: 'en' });
    await till.down();
    await tillctl('freeze', '--shop', other.shop.merchantId);
    till.clock.advance(49 * HOUR_MS);
    await till.up();
    await tillctl('unfreeze', '--shop', other.shop.merchantId);
    const known = to(sink, email, /^Shop: the wallet was frozen/).length;
    await freeze('a newer one, which is mailed after the older one would have been');
    await arrived(sink, email, /^Shop: the wallet was frozen/, known + 1);
    expect(to(sink, other.email, /^Shop: the wallet was frozen/)).toHaveLength(0);
  });
});
