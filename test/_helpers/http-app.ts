import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { COIN_FORMATS } from '../../src/chains/simulator/formats.ts';
import type { FollowedChain } from '../../src/domain/coin-readiness.ts';
import type { Logger } from '../../src/domain/ports.ts';
import { DomainChecks, type DomainChecksOptions } from '../../src/workers/site-checks/domain-checks.ts';
import { resolveHost } from '../../src/egress/resolve.ts';
import { urlRule } from '../../src/egress/url-rule.ts';
import type { HttpSettings } from '../../src/http/api.ts';
import { Certificate } from '../../src/http/server/certificate.ts';
import type { Route } from '../../src/http/server/route.ts';
import { authRoutes } from '../../src/http/routes/auth.ts';
import { customerRoutes } from '../../src/http/routes/customers.ts';
import { domainRoutes } from '../../src/http/routes/domains.ts';
import { keyRoutes } from '../../src/http/routes/keys.ts';
import { connectRoutes } from '../../src/http/routes/connect.ts';
import { restrictedKeyRoutes } from '../../src/http/routes/restricted-keys.ts';
import { merchantRoutes } from '../../src/http/routes/merchants.ts';
import type { Readiness } from '../../src/http/routes/health.ts';
import { createHttpServer, type HttpServerDeps } from '../../src/http/http-server.ts';
import type { Db } from '../../src/store/sqlite/database.ts';
import { markVerified } from '../../src/store/accounts/users.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { redirectRule } from '../../src/usecases/shops/connect/redirect-url.ts';
import { createPasswordHasher } from '../../src/usecases/accounts/passwords/password-hasher.ts';
import { createLoginThrottle, noLoginThrottle } from '../../src/usecases/accounts/sessions/login-throttle.ts';
import { createJwtTokens } from '../../src/usecases/accounts/sessions/jwt-tokens.ts';
import type { RegisterDeps } from '../../src/usecases/accounts/register.ts';
import { createWallet } from '../../src/wallet/derivation.ts';
import { Keyring } from '../../src/wallet/keyring.ts';
import { createSecretBox } from '../../src/wallet/secret-box.ts';
import { ApiClient } from './api-client.ts';

export interface HttpAppOptions {
  readonly settings?: Partial<HttpSettings>;
  readonly registration?: RegisterDeps['registration'];
  readonly hasLiveCoin?: boolean;
  /** Shops that one account may make; any number by default. */
  readonly shopsPerAccount?: number;
  /** One by default. */
  readonly hasMailServer?: boolean;
  /** What is known of the chains; nothing unless given. */
  readonly followedChains?: () => readonly FollowedChain[];
  readonly passwordCost?: { memoryKiB: number; iterations: number; parallelism: number };
  readonly readiness?: () => Promise<Readiness>;
  /** Whether webhooks may go to plain http and private addresses; they may by default. */
  readonly allowPrivate?: boolean;
  /** How domains are looked at. */
  readonly domains?: Partial<DomainChecksOptions>;
  /** Routes of the test, in addition to the real ones. */
  readonly extraRoutes?: readonly Route[];
  readonly tls?: { certFile: string; keyFile: string };
  readonly timeouts?: HttpServerDeps['timeouts'];
  /** An earlier app whose files go on being used, as after a restart or a crash. */
  readonly reopen?: HttpApp;
}

export interface HttpApp {
  readonly api: ApiClient;
  readonly baseUrl: string;
  /** The operator's own address; null without one. */
  readonly operatorUrl: string | null;
  readonly db: Db;
  readonly dir: string;
  readonly keyring: Keyring;
  readonly jwtSecret: Uint8Array;
  /** Everything that was logged, as text. */
  readonly logs: string[];
  readonly registry: Registry;
  readonly domainChecks: DomainChecks;
  /** How often the webhook queue was woken. */
  readonly wakes: () => number;
  /** Moves the clock. */
  advance(ms: number): void;
  now(): number;
  close(graceMs?: number): Promise<void>;
  /** Closes and removes the files. */
  destroy(): Promise<void>;
}

/** What the first user gives where only that one may register. */
export const SETUP_TOKEN = 'setup-token-of-the-tests';

export const CHEAP_PASSWORDS = { memoryKiB: 1024, iterations: 2, parallelism: 1 };

/** The API over a real socket and a real SQLite file: everything but chains. */
export async function startHttpApp(options: HttpAppOptions = {}): Promise<HttpApp> {
  const { reopen } = options;
  const dir = reopen?.dir ?? (await mkdtemp(join(tmpdir(), 'tilld-http-')));
  const keyring = reopen?.keyring ?? (await Keyring.fromEntropy(randomBytes(32)));
  const jwtSecret = reopen?.jwtSecret ?? keyring.deriveSecret('jwt/test');
  const database = await openDatabase(join(dir, 'tilld.db'));
  const { db } = database;
  let offsetMs = reopen === undefined ? 0 : reopen.now() - Date.now();
  const clock = { now: () => Date.now() + offsetMs };
  const logs: string[] = [];
  const logger = collectingLogger(logs);
  const secretBox = createSecretBox(keyring);
  const tokens = createJwtTokens({ secret: jwtSecret, clock });
  const passwords = await createPasswordHasher(options.passwordCost ?? CHEAP_PASSWORDS);
  const registration = options.registration ?? 'open';
  const isLimited = (options.settings?.authRatePerMinute ?? 0) > 0;
  const guard = isLimited ? createLoginThrottle(clock) : noLoginThrottle();
  const registry = new Registry();
  const allowPrivate = options.allowPrivate ?? true;
  let wakes = 0;
  const wakeWebhooks = (): void => void (wakes += 1);
  const domainDeps = { db, clock, logger, wakeWebhooks };
  const domainChecks = new DomainChecks(domainDeps, {
    egress: { allowPrivate, resolve: resolveHost },
    dnsServers: [],
    ...options.domains,
  });
  const merchantDeps = {
    db,
    clock,
    wakeWebhooks,
    webhookUrlRule: urlRule({ allowPrivate }),
    secretBox,
    deriver: createWallet({ keyring, liveNetwork: 'regtest' }),
    toWatchKey: ({ coin }: { coin: 'BTC' | 'ETH' | 'LTC' | 'SOL' }, address: string) =>
      COIN_FORMATS[coin].canonical(address),
    shopsPerAccount: options.shopsPerAccount ?? 0,
    defaults: { lifetimeMinutes: 60, toleranceBps: 50, latePolicy: 'accept' as const },
    hasLiveCoin: options.hasLiveCoin ?? false,
    followedChains: options.followedChains ?? (() => []),
  };
  const server = createHttpServer({
    db,
    clock,
    logger,
    secretBox,
    tokens,
    registry,
    tls: options.tls === undefined ? null : new Certificate(options.tls, { clock, logger }),
    timeouts: options.timeouts ?? {},
    checkAnswers: true,
    routes: [
      ...authRoutes({
        db,
        clock,
        logger,
        passwords,
        tokens,
        secretBox,
        registration,
        setupToken: SETUP_TOKEN,
        hasMailServer: options.hasMailServer ?? true,
        guard,
        explorers: {},
        baseUrl: options.settings?.baseUrl ?? 'http://localhost:3000',
      }),
      ...merchantRoutes(merchantDeps),
      ...domainRoutes({ ...domainDeps, checker: domainChecks }),
      ...keyRoutes(merchantDeps),
      ...restrictedKeyRoutes(merchantDeps),
      ...connectRoutes({ ...merchantDeps, redirectRule: redirectRule(allowPrivate) }),
      ...customerRoutes({ ...merchantDeps, logger }),
      ...(options.extraRoutes ?? []),
    ],
    readiness: options.readiness ?? (async () => ({ ready: true, database: 'ok', chains: {}, warnings: [] })),
    settings: {
      trustProxy: false,
      bodyLimitBytes: 102_400,
      authRatePerMinute: 0,
      publicRatePerMinute: 0,
      accessLog: 'full',
      adminListen: null,
      baseUrl: 'http://localhost:3000',
      version: '0.0.0',
      ...options.settings,
    },
  });
  const at = await server.listen({ host: '127.0.0.1', port: 0 });
  const baseUrl = `http://127.0.0.1:${at.public.port}`;
  let open = true;
  const close = async (graceMs = 2000) => {
    if (!open) return;
    open = false;
    await server.close(graceMs);
    await domainChecks.stop();
    await database.close();
  };
  return {
    api: new ApiClient(baseUrl),
    baseUrl,
    operatorUrl: at.operator === null ? null : `http://127.0.0.1:${at.operator.port}`,
    db,
    dir,
    keyring,
    jwtSecret,
    logs,
    registry,
    domainChecks,
    wakes: () => wakes,
    close,
    advance: (ms) => {
      offsetMs += ms;
    },
    now: () => clock.now(),
    destroy: async () => {
      await close(0);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function collectingLogger(lines: string[]): Logger {
  const write = (level: string) => (fields: object, message: string) => {
    const plain = Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? String(value.stack) : value,
    ]);
    lines.push(JSON.stringify({ level, message, ...Object.fromEntries(plain) }));
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** A chain whose coin can be taken live. */
export const FOLLOWED: FollowedChain = {
  coin: 'BTC',
  mode: 'live',
  state: 'following',
  height: 925_000,
  lag: 0,
  errorKind: null,
};

let people = 0;

/** A fresh user and the token it got. */
export async function newUser(app: HttpApp): Promise<{ token: string; email: string; id: string }> {
  people += 1;
  const email = `owner${people}@example.com`;
  const data = await app.api.must<{ token: string; user: { id: string } }>('POST', '/auth/register', {
    body: { email, password: 'correct horse battery' },
  });
  return { token: data.token, email, id: data.user.id };
}

/** The same with an address that is confirmed: it may add factors. */
export async function newConfirmedUser(app: HttpApp): Promise<{ token: string; email: string; id: string }> {
  const user = await newUser(app);
  await app.db.transaction((tx) => markVerified(tx, user.id, app.now()));
  return user;
}

export interface TestMerchant {
  id: string;
  name: string;
  description: string | null;
  domain: { name: string; isVerified: boolean; verification: string };
  auth: { public: string; secret: string };
  wallets: Record<'BTC' | 'ETH' | 'LTC' | 'SOL', string>;
  sandboxMode: boolean;
}

export async function newMerchant(app: HttpApp, token: string, fields: object = {}): Promise<TestMerchant> {
  people += 1;
  const { merchant } = await app.api.must<{ merchant: TestMerchant }>('POST', '/merchant/create', {
    token,
    body: { name: 'Shop', domain: `shop${people}.example`, ...fields },
  });
  return merchant;
}
