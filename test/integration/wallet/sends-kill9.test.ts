/** kill -9 before the writes of forwards, approved sends, claims and refunds: the chain has one transaction of each. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { AuthenticatorApp } from '../../_helpers/authenticator-app.ts';
import { reading } from '../../_helpers/earlier-databases.ts';
import { FakeClock } from '../../_helpers/fake-clock.ts';
import { type RegtestNode, requireNode, startNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { newPerson, type Person, signedIn } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { readable, SmtpSink, tokenIn } from '../../_helpers/smtp-sink.ts';
import { liveEnv, TillProcess } from '../../_helpers/till.ts';
import { claimLink, type RefundLinkJson } from '../refunds/refund-client.ts';

const PASSWORD = 'correct horse battery';
const LIMIT_MS = 60_000;
/** Writes after which the daemon is killed; the last ones are after the broadcast. */
const STEPS = [0, 4, 9, 14] as const;
const TABLES = 'sends|send_|refund|wallet_forwards|forward_';

describe.skipIf(!requireNode('BTC'))('a daemon that is killed before any write of a send', () => {
  let dir: string;
  let clock: FakeClock;
  let sink: SmtpSink;
  let node: RegtestNode;
  let till: TillProcess;
  let owner: Person;
  let shop: Shop;
  let kills = 0;
  const destinations: string[] = [];

  const database = (sql: string, ...values: readonly string[]): unknown =>
    reading(join(dir, 'data', 'tilld.sqlite'), (db) =>
      db
        .prepare(sql)
        .pluck()
        .get(...values),
    );
  const countSends = (destination: string, status: string): number =>
    Number(
      database(`SELECT count(*) FROM sends WHERE destination = ? AND status = '${status}'`, destination),
    );

  const countAllSends = (destination: string): number =>
    Number(database('SELECT count(*) FROM sends WHERE destination = ?', destination));

  /** Unspent outputs on the chain. */
  const scan = async (addresses: readonly string[]) =>
    node.rpc<{
      total_amount: string;
      unspents: { desc: string; scriptPubKey: string; amount: string }[];
    }>('scantxoutset', ['start', addresses.map((address) => `addr(${address})`)]);

  async function isAlive(): Promise<boolean> {
    return fetch(`${till.api.baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Acts until something is sent, and kills the daemon before a write meanwhile; then a block confirms it. */
  async function killing(step: number, destination: string, act: () => Promise<unknown>): Promise<void> {
    const sent = async (): Promise<unknown> =>
      eventually(
        'it is sent',
        async () => {
          const answer = await act().catch((error: unknown) => error);
          return countSends(destination, 'broadcast') > 0 || answer;
        },
        (value) => value === true,
        LIMIT_MS,
      );
    writeFileSync(join(dir, 'kill-at'), String(step));
    const ended = till.ended();
    await Promise.race([ended, sent()]);
    rmSync(join(dir, 'kill-at'));
    if (!(await isAlive())) {
      await ended;
      kills += 1;
      await till.up();
    }
    await sent();
    // Repeats do nothing.
    await act().catch(() => undefined);
    await node.mine(1);
    await eventually('it is confirmed', () => countSends(destination, 'confirmed'), Boolean, LIMIT_MS);
  }

  async function paidPayments(count: number): Promise<PaymentJson[]> {
    const payments: PaymentJson[] = [];
    for (let n = 0; n < count; n += 1)
      payments.push(await shop.createPayment({ allowedCryptos: ['BTC'], amount: '1000' }));
    for (const { options } of payments)
      await node.pay({ address: options.BTC.address, amountAtoms: toAtoms(options.BTC.amount) });
    await node.mine(2);
    for (const { id } of payments)
      await eventually(
        'a payment is completed',
        async () => shop.payment(id),
        ({ status }) => status === 'completed',
        LIMIT_MS,
      );
    return payments;
  }

  const openShop = async (fund: bigint): Promise<Shop> => {
    const opened = await Shop.open(till.api, { owner: owner.token });
    await node.pay({ address: opened.wallets.BTC, amounts: [fund, fund] });
    await node.mine(2);
    await eventually(
      'the wallet is funded',
      async () => opened.balance('BTC'),
      (balance) => Number(balance) > 0,
      LIMIT_MS,
    );
    return opened;
  };

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'till-sends-'));
    clock = new FakeClock(Date.now());
    [sink, node] = await Promise.all([SmtpSink.start(), startNode('BTC')]);
    const env = {
      ...clock.env,
      ...liveEnv({ BTC: node.rpcUrl }),
      NODE_OPTIONS: `--import=${import.meta.resolve('../../_helpers/kill-at-write.ts')}`,
      KILL_AT_WRITE: join(dir, 'kill-at'),
      KILL_AT_TABLES: TABLES,
      TILLD_FORWARD_DELAY: '0s',
      TILLD_LIMIT_DELAY: '0s',
      TILLD_SMTP_URL: sink.url,
      TILLD_SMTP_FROM: 'till@pay.example.com',
    };
    till = await TillProcess.start(env, join(dir, 'data'));
    await till.ready();
    const person = await newPerson(till.api, 'owner');
    const [mail] = await eventually(
      'the address is to be confirmed',
      () => sink.mails,
      ({ length }) => length > 0,
    );
    const proof = { token: tokenIn(readable(mail?.raw ?? '')) };
    await till.api.must('POST', '/auth/verify-email', { token: person.token, body: proof });
    owner = await signedIn(till.api, person.email);
    shop = await openShop(10_000_000n);
  }, 120_000);

  afterAll(async () => {
    await till?.end();
    await sink?.stop();
    await node?.stop();
    clock?.[Symbol.dispose]();
    rmSync(dir, { recursive: true, force: true });
  });

  it('refunds once', async () => {
    const payments = await paidPayments(STEPS.length);
    for (const [n, step] of STEPS.entries()) {
      const [payment, destination] = [payments[n]?.id, await node.foreignAddress()];
      destinations.push(destination);
      const body = { paymentId: payment, coin: 'BTC', destination };
      const headers = { 'idempotency-key': `refund-${n}` };
      await killing(step, destination, async () =>
        till.api.call('POST', '/payment/refund', { token: shop.secretKey, body, headers }),
      );
    }
  }, 200_000);

  it('pays the claim of a refund link once', async () => {
    const payments = await paidPayments(STEPS.length);
    for (const [n, step] of STEPS.entries()) {
      const destination = await node.foreignAddress();
      destinations.push(destination);
      const link = await till.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
        token: shop.secretKey,
        body: { paymentId: payments[n]?.id, preset: 'all' },
      });
      await killing(step, destination, async () =>
        claimLink(till.api, link.url, { coin: 'BTC', destination }),
      );
    }
  }, 200_000);

  it('forwards once', async () => {
    const cold = await openShop(100_000n);
    const { merchantId } = cold;
    for (const step of STEPS.slice(1)) {
      const destination = await node.foreignAddress();
      destinations.push(destination);
      const terms = {
        merchantId,
        coin: 'BTC',
        destination,
        keep: '0',
        threshold: '0.01',
        intervalMinutes: 1,
      };
      await till.api.must('PATCH', '/merchant/wallet/forward', { token: owner.token, body: terms });
      await node.pay({ address: cold.wallets.BTC, amounts: [2_000_000n] });
      await node.mine(1);
      // A restart begins the interval again; once the wallet is empty, nothing more is forwarded.
      await killing(step, destination, async () => {
        if (countAllSends(destination) === 0) clock.step(61_000);
      });
    }
  }, 200_000);

  it('makes an approved send once', async () => {
    const limited = await openShop(20_000_000n);
    const { merchantId } = limited;
    const movable = { now: () => clock.now(), advance: (ms: number) => clock.step(ms) };
    const app = await AuthenticatorApp.setUp(owner.session, movable, PASSWORD);
    const stepUp = async (): Promise<void> =>
      void (await eventually(
        'the session is proven',
        async () => owner.session.call('POST', '/auth/step-up', { code: app.code() }),
        ({ status }) => status === 200,
        LIMIT_MS,
      ));
    await stepUp();
    const limits = { merchantId, perSend: '1', currency: 'USD' };
    expect((await owner.session.call('PATCH', '/merchant/wallet/limits', limits)).body.error).toBeNull();
    for (const step of STEPS) {
      const destination = await node.foreignAddress();
      destinations.push(destination);
      const held = await limited.send({ coin: 'BTC', amount: '0.01', destination });
      expect(held.status).toBe(202);
      await stepUp();
      await killing(step, destination, async () =>
        owner.session.call('POST', '/merchant/wallet/send/approve', {
          merchantId,
          sendId: held.body.data.id,
        }),
      );
    }
  }, 200_000);

  it('leaves one output at each destination, and books that equal the chain', async () => {
    expect(kills).toBeGreaterThanOrEqual(3 * STEPS.length);
    for (const destination of destinations) {
      const { unspents } = await scan([destination]);
      const amount = String(database('SELECT amount FROM sends WHERE destination = ?', destination));
      expect(unspents.map((output) => toAtoms(output.amount))).toEqual([BigInt(amount)]);
    }
    const own = reading(join(dir, 'data', 'tilld.sqlite'), (db) => ({
      addresses: db
        .prepare(`SELECT address FROM addresses WHERE coin = 'BTC' AND mode = 'live'`)
        .pluck()
        .all() as string[],
      held: db
        .prepare(
          `SELECT coalesce(sum(amount), 0) FROM outputs WHERE coin = 'BTC' AND spent_by IS NULL AND state = 'confirmed'`,
        )
        .pluck()
        .get() as number,
      reserved: db
        .prepare(`SELECT count(*) FROM outputs WHERE send_id IS NOT NULL AND spent_by IS NULL`)
        .pluck()
        .get() as number,
      sends: db.prepare(`SELECT count(*) FROM sends WHERE purpose = 'send'`).pluck().get() as number,
      broadcasts: db
        .prepare(`SELECT count(*) FROM events WHERE type = 'send.confirmed'`)
        .pluck()
        .get() as number,
    }));
    const onChain = await scan(own.addresses);
    expect(BigInt(own.held)).toBe(toAtoms(onChain.total_amount));
    expect(own).toMatchObject({ reserved: 0, sends: destinations.length, broadcasts: destinations.length });
  });
});
