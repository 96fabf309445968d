import type { PaymentJson, SendJson } from '../../test/_helpers/api-client.ts';
import { ApiClient } from '../../test/_helpers/api-client.ts';
import { eventually } from '../../test/_helpers/poll.ts';
import type { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import type { Acknowledged, History, Keys } from './load.ts';
import type { Payer } from './payer.ts';

const WEBHOOK_LIMIT_MS = 90_000;
const PAGE = 100;

export interface Verdict {
  readonly violations: string[];
  readonly payments: number;
  readonly sends: number;
  /** Acknowledged, and not on the second machine. */
  readonly lost: number;
  /** Of the oldest of them: how long before the power failed it was acknowledged. */
  readonly lossMs: number;
  readonly webhooks: number;
}

interface Compared {
  readonly baseUrl: string;
  readonly keys: Keys;
  readonly before: History;
  /** What the second machine made. */
  readonly after: History;
  readonly diedAt: number;
  /** What was acknowledged longer before that may not be lost. */
  readonly maxLossMs: number;
  readonly sink: WebhookSink;
  readonly payer: Payer;
  /** Every address ever acknowledged, with its payment; grows over the rounds. */
  readonly addresses: Map<string, string>;
}

/** Compares the histories of both machines. */
export async function judge(compared: Compared): Promise<Verdict> {
  const { baseUrl, keys, before, after, diedAt, maxLossMs, sink, payer, addresses } = compared;
  const api = new ApiClient(baseUrl);
  const violations: string[] = [];
  const lost: Acknowledged<unknown>[] = [];
  for (const entry of before.payments) {
    const found = await paymentOf(api, keys, entry.what.id);
    if (found === null) lost.push(entry);
    else if (addressesOf(found).join() !== addressesOf(entry.what).join())
      violations.push(`payment ${entry.what.id} has other addresses than were given out`);
  }
  for (const entry of before.sends) {
    const found = await sendOf(api, keys, entry.what.id);
    if (found === null) lost.push(entry);
    else if (found.txHash !== entry.what.txHash)
      violations.push(`send ${entry.what.id} is not the transaction that was acknowledged`);
  }
  for (const { what } of [...before.sends, ...after.sends]) {
    const paid = await payer.paidTimes(what.destination);
    if (paid > 1) violations.push(`send ${what.id} was paid ${paid} times`);
  }
  const lossMs = Math.max(0, ...lost.map(({ at }) => diedAt - at));
  if (lossMs > maxLossMs) violations.push(`lost what was acknowledged ${Math.round(lossMs)} ms before`);
  for (const { what } of [...before.payments, ...after.payments]) {
    for (const address of addressesOf(what)) {
      const owner = addresses.get(address);
      if (owner !== undefined && owner !== what.id)
        violations.push(`${address} was given to ${owner} and ${what.id}`);
      addresses.set(address, what.id);
    }
  }
  violations.push(...(await webhookFaults(api, keys, sink)));
  return {
    violations,
    payments: before.payments.length,
    sends: before.sends.length,
    lost: lost.length,
    lossMs,
    webhooks: sink.deliveries.length,
  };
}

function addressesOf({ options }: PaymentJson): string[] {
  return Object.entries(options)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([coin, { address }]) => `${coin}:${address}`);
}

async function paymentOf(
  api: ApiClient,
  { secretKey: token }: Keys,
  id: string,
): Promise<PaymentJson | null> {
  const { status, body } = await api.call<PaymentJson>('GET', `/payment/get?paymentId=${id}`, { token });
  if (status === 404) return null;
  if (status !== 200) throw new Error(`the till answered ${status}: ${JSON.stringify(body.error)}`);
  return body.data;
}

async function sendOf(api: ApiClient, { secretKey: token }: Keys, id: string): Promise<SendJson | null> {
  const { status, body } = await api.call<SendJson>('GET', `/merchant/wallet/send-status?sendId=${id}`, {
    token,
  });
  if (status === 404) return null;
  if (status !== 200) throw new Error(`the till answered ${status}: ${JSON.stringify(body.error)}`);
  return body.data;
}

interface EventJson {
  readonly id: string;
  readonly type: string;
}

/** Each event of the second machine's history arrived at least once, and each id always said the same. */
async function webhookFaults(api: ApiClient, keys: Keys, sink: WebhookSink): Promise<string[]> {
  const wanted = (await eventsOf(api, keys)).filter(({ type }) => type.startsWith('payment.'));
  const missing = (): EventJson[] => {
    const received = new Set(sink.deliveries.map(({ headers }) => headers['webhook-id']));
    return wanted.filter(({ id }) => !received.has(id));
  };
  const left = await eventually('webhooks', missing, (events) => events.length === 0, WEBHOOK_LIMIT_MS).catch(
    missing,
  );
  const faults = left.slice(0, 3).map(({ id, type }) => `webhook ${id} (${type}) never came`);
  const said = new Map<string, string>();
  for (const delivery of sink.deliveries) {
    const id = String(delivery.headers['webhook-id']);
    const text = delivery.raw;
    if ((said.get(id) ?? text) !== text) faults.push(`webhook ${id} said two things`);
    said.set(id, text);
  }
  return faults;
}

async function eventsOf(api: ApiClient, { secretKey: token }: Keys): Promise<EventJson[]> {
  const all: EventJson[] = [];
  for (let after = 0; ;) {
    const page = await api.must<{ events: EventJson[]; nextAfter: number }>(
      'GET',
      `/merchant/events?after=${after}&limit=${PAGE}`,
      { token },
    );
    all.push(...page.events);
    if (page.events.length === 0 || page.nextAfter === after) return all;
    after = page.nextAfter;
  }
}
