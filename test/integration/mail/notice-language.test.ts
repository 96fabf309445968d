/** The language of mails: that of the dashboard until one is chosen for them. */
import { afterEach, expect, it } from 'vitest';
import { arrived, choose, openShop, pay } from '../../_helpers/notice-mails.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { SmtpSink, subjectOf } from '../../_helpers/smtp-sink.ts';
import { Till } from '../../_helpers/till.ts';

const PASSWORD = 'correct horse battery';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start() {
  const sink = await SmtpSink.start();
  ends.push(() => sink.stop());
  const till = await Till.start({ TILLD_SMTP_URL: sink.url, TILLD_SANDBOX_BLOCK_INTERVAL: '200ms' });
  ends.push(() => till.end());
  await till.ready();
  const { shop, email } = await openShop(sink, till, { paid: true });
  const session = await SessionClient.signIn(till.api.baseUrl, { email, password: PASSWORD });
  return { sink, shop, email, session };
}

const known = async (session: SessionClient) =>
  (await session.call<{ language: string | null }>('GET', '/auth/session')).body.data.language;
const tell = async (session: SessionClient, language: string) =>
  session.call<{ language: string }>('PATCH', '/auth/session', { language });

it('the language of emails is English until the user opens the dashboard, and then follows the language of the dashboard', async () => {
  const { sink, shop, email, session } = await start();
  expect(await known(session)).toBeNull();
  await pay(shop, 'exact', 'First-1');
  const [english] = await arrived(sink, email, /First-1/);
  expect(subjectOf(english!)).toBe('Test: Shop: First-1 was paid');
  for (const [language, order, subject] of [
    ['de', 'Second-2', 'Test: Shop: Second-2 ist bezahlt'],
    ['pt', 'Third-3', expect.stringMatching(/Third-3/)],
    ['pl', 'Fourth-4', 'Test: Shop: zapłacono za Fourth-4'],
    ['ar', 'Fifth-5', 'اختبار: \u2068Shop\u2069: دُفع الطلب \u2068Fifth-5\u2069'],
  ] as const) {
    expect((await tell(session, language)).body.data).toEqual({ language });
    expect(await known(session)).toBe(language);
    await pay(shop, 'exact', order);
    const [mail] = await arrived(sink, email, new RegExp(order));
    expect(subjectOf(mail!)).toEqual(subject);
  }
});

it('the language of emails stays as the user chose it, whatever language the dashboard has', async () => {
  const { sink, shop, email, session } = await start();
  await choose(shop, { language: 'de' });
  expect((await tell(session, 'fr')).body.data).toEqual({ language: 'de' });
  expect(await known(session)).toBe('de');
  await pay(shop, 'exact', 'Chosen-1');
  const [mail] = await arrived(sink, email, /Chosen-1/);
  expect(subjectOf(mail!)).toBe('Test: Shop: Chosen-1 ist bezahlt');
});

it('the language of emails can be set only from a page of the dashboard, and only to a supported language', async () => {
  const { session } = await start();
  expect((await tell(session, 'xx')).body.error?.code).toBe('VALIDATION_INVALID');
  const fromElsewhere = await session.raw('PATCH', '/auth/session', { language: 'fr' }, {});
  expect(fromElsewhere.status).toBeGreaterThanOrEqual(401);
  expect(await known(session)).toBeNull();
});

it('emails about an account are in the language of its user', async () => {
  const { sink, email, session } = await start();
  await tell(session, 'de');
  await session.call('POST', '/auth/forgot-password', { email });
  const [mail] = await arrived(sink, email, /Neues Passwort festlegen/);
  expect(subjectOf(mail!)).toMatch(/^Neues Passwort festlegen \(/);
});
