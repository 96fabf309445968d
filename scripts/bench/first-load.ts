import { chromium, type BrowserContext } from 'playwright-core';
import { ApiClient, Shop } from '../../test/_helpers/api-client.ts';
import { SessionClient } from '../../test/_helpers/session-client.ts';
import { EXECUTABLE, FLAGS, PHONE } from '../../test/_helpers/web/browser.ts';
import { measureFirstLoad, type FirstLoad, type Throttle } from '../../test/_helpers/web/first-load.ts';
import { alternate, compare } from './harness/alternate.ts';
import { startDaemon } from './harness/daemon.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';

/** "Slow 4G" of Lighthouse and of Chrome's developer tools: 150 ms and 1.6 Mbit/s, as these tools apply it to requests. */
const SLOW_4G: Throttle = {
  latencyMs: 150 * 3.75,
  downBytesPerSecond: (1_600_000 * 0.9) / 8,
  upBytesPerSecond: (750_000 * 0.9) / 8,
  cpu: 4,
};
const PAYMENTS = 30;
const ACCOUNT = { email: 'owner@example.com', password: 'correct horse battery' };

interface Opened {
  readonly what: string;
  readonly path: string;
  readonly shows: string;
  /** The longest time until it is shown, ms. */
  readonly limitMs: number;
}

/** How long a phone with a slow connection waits for the first sight of each page. */
export const question: Question = {
  asks: 'first load of a page in Chromium with an empty cache, Slow 4G, CPU 4 times slower',
  against: 'the longest time that is acceptable',
  run: async (bench) => {
    const daemon = await startDaemon(bench);
    const { merchantId, paymentId, cookie } = await prepare(daemon.api);
    const context = await openBrowser(bench, { url: daemon.url, cookie });
    const shop = `/dashboard/shop/${merchantId}`;
    const row = 'tbody tr td';
    const pages: readonly Opened[] = [
      { what: 'sign-in', path: '/dashboard/login', shows: 'input[type=password]', limitMs: 2_500 },
      { what: 'first payment', path: `${shop}/payments`, shows: row, limitMs: 4_000 },
      { what: 'checkout', path: `/checkout/${paymentId}`, shows: '#checkout svg', limitMs: 2_000 },
      { what: 'reference', path: '/docs', shows: '#first-payment h2', limitMs: 2_000 },
    ];
    const comparisons: Comparison[] = [];
    const notes: string[] = [];
    for (const opened of pages) {
      const { what, path, shows, limitMs } = opened;
      const isVisitor = what === 'sign-in';
      const of = isVisitor ? await openBrowser(bench, { url: daemon.url, cookie: null }) : context;
      const load = { address: daemon.url + path, shows, throttle: SLOW_4G };
      const rounds = await alternate<FirstLoad>({
        rounds: bench.quick ? 2 : 5,
        ours: async () => measureFirstLoad(of, load),
        baseline: async () => ({ bytes: 0, scriptBytes: 0, requests: 0, shownMs: limitMs }),
      });
      const target = { atMost: 1 };
      comparisons.push(compare(rounds, { what, unit: 'ms', figure: ({ shownMs }) => shownMs, target }));
      const [first] = rounds.ours;
      if (first !== undefined) notes.push(describe(what, first));
    }
    return { comparisons, notes };
  },
};

function describe(what: string, { bytes, scriptBytes, requests }: FirstLoad): string {
  return `${what}: ${requests} requests, ${Math.round(bytes / 1000)} kB, ${Math.round(scriptBytes / 1000)} kB of them scripts`;
}

async function prepare(api: ApiClient): Promise<{ merchantId: string; paymentId: string; cookie: string }> {
  const { token } = await api.must<{ token: string }>('POST', '/auth/register', { body: ACCOUNT });
  const shop = await Shop.open(api, { owner: token });
  let paymentId = '';
  for (let at = 0; at < PAYMENTS; at += 1) {
    ({ id: paymentId } = await shop.createPayment({ amount: '49.90', currency: 'USD' }));
  }
  const { cookie } = await SessionClient.signIn(api.baseUrl, ACCOUNT);
  return { merchantId: shop.merchantId, paymentId, cookie };
}

interface BrowserOptions {
  readonly url: string;
  /** Null for a visitor who is not signed in. */
  readonly cookie: string | null;
}

async function openBrowser(bench: Bench, { url, cookie }: BrowserOptions): Promise<BrowserContext> {
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
  bench.onEnd(async () => browser.close());
  const context = await browser.newContext({ viewport: PHONE, locale: 'en-US' });
  if (cookie !== null) {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  }
  return context;
}
