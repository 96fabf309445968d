/** A daemon that is killed before writes of sends from watched accounts, with a real bitcoind; signatures by hand. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type ApiAnswer, Shop } from '../../_helpers/api-client.ts';
import { AuthenticatorApp } from '../../_helpers/authenticator-app.ts';
import { reading } from '../../_helpers/earlier-databases.ts';
import { FakeClock } from '../../_helpers/fake-clock.ts';
import { type RegtestNode, startNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { newPerson, type Person, signedIn } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { readable, SmtpSink, tokenIn } from '../../_helpers/smtp-sink.ts';
import { liveEnv, TillProcess } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';
import { fundAccount, NodeAccount } from './node-account.ts';

const PASSWORD = 'correct horse battery';
const LIMIT_MS = 300_000;
/** The first write to one of these tables is the first one of a step. */
const TABLES = 'sends|send_|watch_|address|outputs|idempotency';
/** Time to sign, and the time that a test steps the clock forward by to end it. */
const TTL_HOURS = 1;
const FUNDS = [4_000_000n, 4_000_000n, 4_000_000n];
const EXPIRY_MS = (TTL_HOURS * 60 + 1) * 60_000;

/** More than the lease of a webhook delivery. */
const LEASE_MS = 180_000;

export const AMOUNT = '0.0004';

interface PsbtSend {
  readonly id: string;
  readonly status: string;
  readonly psbt: string | null;
  readonly txHash: string | null;
}

/** A shop, and the watched account that its sends are from. */
export interface Watching {
  readonly shop: Shop;
  readonly account: NodeAccount;
}

/** A time zone whose day does not end during a test. */
function noonZone(now: number): string {
  const west = new Date(now).getUTCHours() - 12;
  return `Etc/GMT${west < 0 ? '' : '+'}${west}`;
}

export class KilledWorld {
  readonly #dir = mkdtempSync(join(tmpdir(), 'till-psbt-kill9-'));
  readonly #clock = new FakeClock(Date.now());
  #sink!: WebhookSink;
  #mails!: SmtpSink;
  #node!: RegtestNode;
  #till!: TillProcess;
  #owner!: Person;
  #app: AuthenticatorApp | null = null;
  /** Times that the daemon was killed. */
  kills = 0;

  static async start(): Promise<KilledWorld> {
    const world = new KilledWorld();
    await world.#start();
    return world;
  }

  async #start(): Promise<void> {
    [this.#sink, this.#mails, this.#node] = await Promise.all([
      WebhookSink.start(),
      SmtpSink.start(),
      startNode('BTC'),
    ]);
    const env = {
      ...this.#clock.env,
      ...liveEnv({ BTC: this.#node.rpcUrl }),
      NODE_OPTIONS: `--import=${import.meta.resolve('../../_helpers/kill-at-write.ts')}`,
      KILL_AT_WRITE: this.#killFile,
      KILL_AT_TABLES: TABLES,
      TILLD_APPROVAL_TTL: `${TTL_HOURS}h`,
      TILLD_LIMIT_DELAY: '0s',
      TILLD_SMTP_URL: this.#mails.url,
      TILLD_SMTP_FROM: 'till@pay.example.com',
    };
    this.#till = await TillProcess.start(env, join(this.#dir, 'data'));
    await this.#till.ready();
    const { email, token } = await newPerson(this.#till.api, 'owner');
    const [mail] = await eventually(
      'the address is to be confirmed',
      () => this.#mails.mails,
      ({ length }) => length > 0,
    );
    const proof = { token: tokenIn(readable(mail?.raw ?? '')) };
    await this.#till.api.must('POST', '/auth/verify-email', { token, body: proof });
    this.#owner = await signedIn(this.#till.api, email);
  }

  async end(): Promise<void> {
    await this.#till?.end();
    await this.#mails?.stop();
    await this.#sink?.close();
    await this.#node?.stop();
    this.#clock[Symbol.dispose]();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #killFile(): string {
    return join(this.#dir, 'kill-at');
  }

  /** A shop that watches an account with confirmed outputs for many sends. */
  async openAccount(): Promise<Watching> {
    const { token } = this.#owner;
    const settings = { timeZone: noonZone(this.#clock.now()) };
    const shop = await Shop.open(this.#till.api, { owner: token, webhookUrl: this.#sink.url, settings });
    const account = new NodeAccount();
    await fundAccount(account, { owner: this.#owner, shop, node: this.#node }, FUNDS);
    return { shop, account };
  }

  async foreignAddress(): Promise<string> {
    return this.#node.foreignAddress();
  }

  #read<T>(sql: string, ...values: readonly string[]): T[] {
    return reading(
      join(this.#dir, 'data', 'tilld.sqlite'),
      (db) =>
        db
          .prepare(sql)
          .pluck()
          .all(...values) as T[],
    );
  }

  /** Statuses of the sends that pay an address. */
  statuses(destination: string): string[] {
    return this.#read('SELECT status FROM sends WHERE destination = ?', destination);
  }

  countReserved(destination: string): number {
    const [count = 0] = this.#read<number>(
      `SELECT count(*) FROM outputs JOIN sends ON sends.id = outputs.send_id
       WHERE sends.destination = ? AND outputs.spent_by IS NULL`,
      destination,
    );
    return count;
  }

  /** What the chain pays to an address, atoms. */
  async paid(destination: string): Promise<bigint[]> {
    const { unspents } = await this.#node.rpc<{ unspents: { amount: string }[] }>('scantxoutset', [
      'start',
      [`addr(${destination})`],
    ]);
    return unspents.map(({ amount }) => toAtoms(amount));
  }

  /** The same request, with the same Idempotency-Key, at each call. */
  async order({ shop }: Watching, destination: string): Promise<ApiAnswer<PsbtSend>> {
    return this.#till.api.call<PsbtSend>('POST', '/merchant/wallet/send', {
      token: shop.secretKey,
      body: { coin: 'BTC', destination, amount: AMOUNT },
      headers: { 'idempotency-key': destination },
    });
  }

  /** Its PSBT, signed. */
  async signed({ shop, account }: Watching, sendId: string): Promise<string> {
    const { psbt } = await this.#till.api.must<PsbtSend>(
      'GET',
      `/merchant/wallet/send-status?sendId=${sendId}`,
      { token: shop.secretKey },
    );
    return account.sign(psbt ?? '');
  }

  async submit({ shop }: Watching, sendId: string, psbt: string): Promise<ApiAnswer<PsbtSend>> {
    const body = { sendId, psbt };
    return this.#till.api.call('POST', '/merchant/wallet/psbt/submit', { token: shop.secretKey, body });
  }

  async cancel({ shop }: Watching, sendId: string): Promise<ApiAnswer<PsbtSend>> {
    const body = { sendId };
    return this.#till.api.call('POST', '/merchant/wallet/send/cancel', { token: shop.secretKey, body });
  }

  async approve({ shop }: Watching, sendId: string): Promise<ApiAnswer<PsbtSend>> {
    const { merchantId } = shop;
    return this.#owner.session.call('POST', '/merchant/wallet/send/approve', { merchantId, sendId });
  }

  async limit({ shop }: Watching, limits: object): Promise<void> {
    await this.stepUp();
    const body = { merchantId: shop.merchantId, currency: 'USD', ...limits };
    const answer = await this.#owner.session.call('PATCH', '/merchant/wallet/limits', body);
    expect(answer.body.error).toBeNull();
  }

  /** Proves the session of the owner again, with the second factor that approvals need. */
  async stepUp(): Promise<void> {
    const clock = { now: () => this.#clock.now(), advance: (ms: number) => this.#clock.step(ms) };
    this.#app ??= await AuthenticatorApp.setUp(this.#owner.session, clock, PASSWORD);
    const app = this.#app;
    await eventually(
      'the session is proven',
      async () => this.#owner.session.call('POST', '/auth/step-up', { code: app.code() }),
      ({ status }) => status === 200,
      LIMIT_MS,
    );
  }

  async mine(): Promise<void> {
    await this.#node.mine(1);
  }

  /** After the time to sign. */
  expire(): void {
    this.#clock.step(EXPIRY_MS);
  }

  /**
   * Repeats an act until it is done, and kills the daemon before this write of it.
   * @param isDone of the answer; null: there was none
   * @returns whether it was killed
   */
  async killing<T>(
    step: number,
    act: () => Promise<T>,
    isDone: (answer: T | null) => boolean,
  ): Promise<boolean> {
    let isKilled = false;
    const repeat = async (): Promise<unknown> =>
      eventually(
        'it is done',
        async () => {
          const answer = await act().catch(() => null);
          return isDone(answer) || isKilled || answer;
        },
        (value) => value === true,
        LIMIT_MS,
      );
    writeFileSync(this.#killFile, String(step));
    const repeated = repeat();
    await Promise.race([this.#till.ended().then(() => (isKilled = true)), repeated]);
    rmSync(this.#killFile);
    isKilled ||= !(await this.#isAlive());
    if (!isKilled) return false;
    await repeated;
    this.kills += 1;
    await this.#till.up();
    isKilled = false;
    await repeat();
    return true;
  }

  async #isAlive(): Promise<boolean> {
    return fetch(`${this.#till.api.baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Each event of a send exists once, and was delivered by its id. */
  async expectEvents(destination: string, types: readonly string[]): Promise<void> {
    const [sendId = ''] = this.#read<string>('SELECT id FROM sends WHERE destination = ?', destination);
    const listed = async () => new Map(this.#sink.of(sendId).map(({ body }) => [body.id, body.type]));
    // A delivery that was cut off is repeated once its lease has ended.
    if ((await listed()).size < types.length) this.#clock.step(LEASE_MS);
    const delivered = await eventually(
      `the events of ${sendId}`,
      listed,
      ({ size }) => size >= types.length,
      LIMIT_MS,
    );
    expect([...delivered.values()].toSorted()).toEqual(types.toSorted());
    const stored = this.#read<string>('SELECT id FROM events WHERE send_id = ?', sendId);
    expect(stored.filter((id) => !delivered.has(id))).toEqual([]);
  }
}
