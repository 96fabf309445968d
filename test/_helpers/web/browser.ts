import { mkdirSync } from 'node:fs';
import axe from 'axe-core';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';

/** The browser without the parts that show windows, which takes a third less time for the same pages. */
export const EXECUTABLE = process.env['TILLD_TEST_CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  // No internet: nothing but this machine has a name.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];
/** Runs in the page. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('CSP violation: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;
export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 860 };
/** Where screenshots for people to look at are written; git ignores it. */
export const SCREENS = 'test-results/screens';

let launched: Promise<Browser> | null = null;

/** The test files of a process share one browser, which ends with the process. */
async function sharedBrowser(): Promise<Browser> {
  const browser = await launched?.catch(() => null);
  if (browser?.isConnected() === true) return browser;
  launched = chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
  return launched;
}

/** Contexts of a real browser, whose pages may log no errors and may only connect to the daemon. */
export class WebBrowser {
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  readonly #origin: string;
  readonly #sites: readonly string[];
  readonly #complaints: string[] = [];

  private constructor(browser: Browser, origin: string, sites: readonly string[]) {
    this.#browser = browser;
    this.#origin = origin;
    this.#sites = sites;
  }

  /** @param sites origins of shops whose own pages are opened as well */
  static async start(origin: string, sites: readonly string[] = []): Promise<WebBrowser> {
    const browser = await sharedBrowser();
    mkdirSync(SCREENS, { recursive: true });
    return new WebBrowser(browser, origin, sites);
  }

  /** Closes what was opened by this test file; the browser stays for the next one. */
  async stop(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map(async (context) => context.close()));
  }

  async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.#browser.newContext({ baseURL: this.#origin, locale: 'en-US', ...options });
    this.#contexts.push(context);
    context.setDefaultTimeout(60_000);
    context.on('console', (message) => {
      // The browser itself writes a line for each answer that is an error; pages show those properly. It loads again
      // what the machine's network interrupted when an interface or address of it changed.
      const expected =
        /Failed to load resource: (the server responded with a status of 4|net::ERR_NETWORK_CHANGED)/.test(
          message.text(),
        );
      if ((message.type() === 'error' || message.type() === 'warning') && !expected) {
        this.#complaints.push(`${message.page()?.url() ?? ''}: ${message.text()}`);
      }
    });
    context.on('weberror', (error) => this.#complaints.push(String(error.error())));
    context.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      const isKnown = origin === this.#origin || this.#sites.includes(origin);
      if (!isKnown && protocol !== 'data:' && !request.isNavigationRequest()) {
        this.#complaints.push(`asked another host: ${request.url()}`);
      }
    });
    await context.addInitScript({ content: REPORT_VIOLATIONS });
    return context;
  }

  async page(options: BrowserContextOptions = {}): Promise<Page> {
    return (await this.context(options)).newPage();
  }

  /** Everything wrong so far: console errors, exceptions, policy violations, foreign hosts. Forgets it. */
  takeComplaints(): string[] {
    return this.#complaints.splice(0);
  }
}

/** A colour on its way to another has the contrast of neither: ends every transition that has an end, at that end. */
const SETTLE = `for (const one of document.getAnimations())
  if (one.effect?.getComputedTiming().endTime !== Infinity) one.finish();`;

/**
 * What axe finds wrong with a page, as short lines.
 * @param within a selector of the part to look at: the whole of a long page takes seconds
 * @param withTargetSize the rule of WCAG 2.2 that axe does not apply by default: 24 pixels, or space around
 */
export async function axeFindings(page: Page, within = 'html', withTargetSize = false): Promise<string[]> {
  // Not a script element: the page's own policy stays in force and is not stretched for the test.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  await page.evaluate(SETTLE);
  const violations = await page.evaluate(
    async ([selector, withTargetSize]) => {
      const runner = (globalThis as unknown as { axe: typeof axe }).axe;
      // Violations only, without selectors: those take a third of the time, and a second run names them.
      const context = { include: selector };
      const rules = { 'target-size': { enabled: withTargetSize } };
      const options = { resultTypes: ['violations' as const], rules };
      const first = await runner.run(context, { ...options, selectors: false });
      if (first.violations.length === 0) return [];
      const second = await runner.run(context, options);
      const { violations: found } = second.violations.length === 0 ? first : second;
      return found.map(({ id, nodes }) => ({
        id,
        targets: nodes.map(({ target, html, failureSummary = '' }) => {
          const where = (target as typeof target | undefined)?.join(' ') ?? html;
          return `${where}: ${failureSummary}`;
        }),
      }));
    },
    [within, withTargetSize] as const,
  );
  return violations.flatMap(({ id, targets }) => targets.map((target) => `${id}: ${target}`));
}
