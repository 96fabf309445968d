import { setTimeout as sleep } from 'node:timers/promises';
import { Shop } from '../../test/_helpers/api-client.ts';
import { eventually } from '../../test/_helpers/poll.ts';
import { Till } from '../../test/_helpers/till.ts';
import { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import type { ChainWorld } from './chain-world.ts';
import { History } from './history.ts';
import type { Mischief } from './mischief.ts';
import { feeSpike } from './fee-level.ts';
import { COMMON_MISCHIEFS } from './mischief/common.ts';
import { judge } from './oracle/judge.ts';
import { unresolved } from './oracle/unresolved.ts';
import { Payments, type Order } from './payments.ts';
import { drawPlan, STEPS, type FeeSpike, type SendPlan, type Spell } from './plan.ts';
import { MisbehavingProxy } from './proxy.ts';
import { Random } from './random.ts';
import { RefundLinks } from './refund-links.ts';
import { Treasurer, type WantedSend } from './sends.ts';
import type { RoundResult, Stage } from './stage.ts';
import { TillDatabase } from './till-database.ts';
import { disturb } from './upheavals.ts';

/** Short enough for many polls in each step. */
const INTERVALS = { maxBackoffMs: 400, expiryMs: 100, sendsMs: 150, sweepsMs: 300 };
const ENV = {
  TILLD_POLL_INTERVAL: '60ms',
  TILLD_RPC_TIMEOUT: '1s',
  TILLD_PAYMENT_LIFETIME_MINUTES: '5',
  TILLD_SHUTDOWN_GRACE: '3s',
};
/** How long the daemon runs undisturbed in each step, and how many requests it should have made by then. */
const STEP_MS = 220;
const LOOK_REQUESTS = 6;
const CALM_REQUESTS = 24;
/** With pending sends: their worker must run, otherwise the signed bytes expire before they are submitted. */
const CALM_REQUESTS_SENDING = 80;
const CALM_WAITS = 40;
/** Clock steps of the final phase without faults; the long ones exceed every timeout of the daemon. */
const CALM_STEPS_MS = [
  ...Array.from({ length: 12 }, () => 30_000),
  ...Array.from({ length: 12 }, (_, at) => (at % 4 === 0 ? 600_000 : 40_000)),
  ...Array.from({ length: 16 }, (_, at) => (at % 4 === 0 ? 3_700_000 : 40_000)),
  // A failed poll on a busy machine restarts a tracker of the chain, and a sweep whose deposit vanished waits for
  // finalized blocks: anything still open after these steps is stuck.
  ...Array.from({ length: 48 }, (_, at) => (at % 8 === 0 ? 3_700_000 : 40_000)),
];

/** Runs one round until nothing changes any more, and compares the daemon's events with the real chain. */
export async function playRound(world: ChainWorld, seed: number): Promise<RoundResult> {
  const started = performance.now();
  const random = new Random(seed);
  const makers = [...COMMON_MISCHIEFS, ...world.mischiefs];
  const plan = drawPlan(seed, random, { mischiefs: makers.length, ways: world.ways, price: world.price });
  const spells = plan.spells.map((spell): [Spell, Mischief] => {
    const make = makers[spell.mischief];
    if (make === undefined) throw new Error('the plan has an unknown fault');
    return [spell, make(new Random(spell.seed))];
  });
  await world.begin();
  const history = new History(world.clock);
  const proxy = await MisbehavingProxy.start(world.target);
  const sink = await WebhookSink.start();
  const till = await Till.start(
    { ...world.env(proxy.url), ...ENV },
    { clock: world.clock, intervals: INTERVALS, logger: history.logger() },
  );
  try {
    const shop = await Shop.open(till.api, { webhookUrl: sink.url, settings: { renewExpired: true } });
    const payments = new Payments(world);
    const treasurer = new Treasurer(world);
    const people = { shop, payments, treasurer, links: new RefundLinks(world), sink };
    const spikes = plan.feeSpikes.map((spike): [FeeSpike, Mischief] => [spike, feeSpike(spike)]);
    const stage: Stage = { world, plan, proxy, till, history, random, spikes, downUntil: null, ...people };
    await earn(stage);
    for (let step = 0; step < STEPS; step += 1) await playStep(stage, step, spells);
    const lasting = spells.flatMap(([, mischief]) =>
      plan.staysHoled && LASTING.has(mischief.name) && begun.has(mischief) ? [mischief] : [],
    );
    const open = await comeToRest(stage, lasting);
    const verdict = await judge(stage, { open, isHoled: lasting.length > 0 });
    return {
      ...verdict,
      plan,
      mix: spells.map(([{ from, to }, mischief]) => describe(mischief, from, to)),
      history: history.lines,
      hits: proxy.hits,
      seconds: (performance.now() - started) / 1000,
      transfers: payments.transfers.length,
      sends: treasurer.wanted.length,
    };
  } finally {
    await till.end();
    await Promise.all([proxy.close(), sink.close()]);
  }
}

/** Data that a node does not recover on its own. */
const LASTING: ReadonlySet<string> = new Set(['history-hole', 'pruned-history']);
const begun = new WeakSet<Mischief>();

function describe({ name, details }: Mischief, from: number, to: number): string {
  return `${name}${details === undefined ? '' : ` (${details})`} from step ${from} to ${to}`;
}

/** Funds for later sends: two paid orders, and a payment to the wallet's own address. */
async function earn({ world, shop, till, history, random }: Stage): Promise<void> {
  await till.ready();
  const { coin } = world;
  const payments = new Payments(world);
  for (let made = 0; made < 2; made += 1) {
    const dollars = world.price.high;
    const plan = { step: 0, dollars, kind: 'exact', payAfterSteps: 0, way: 'plain' } as const;
    await payments.pay(await payments.order(shop, plan));
  }
  const [first] = payments.orders;
  await world.pay({ address: shop.wallets[coin], amount: 2n * (first?.due ?? 0n), way: 'plain' });
  await world.pass(10_000, random);
  await world.settle();
  for (const { payment } of payments.orders) {
    await eventually(
      'the first payments are completed',
      async () => (await shop.payment(payment.id)).status,
      (status) => status === 'completed',
    );
  }
  history.add(`begins with ${await shop.balance(coin)} ${coin}`);
}

async function playStep(stage: Stage, step: number, spells: readonly [Spell, Mischief][]): Promise<void> {
  const { world, plan, proxy, till, payments, treasurer, history, shop, random } = stage;
  if (stage.downUntil !== null && step >= stage.downUntil) {
    await till.up();
    stage.downUntil = null;
    history.add('the till is up again');
  }
  const active = spells.filter(([{ from, to }]) => step >= from && step < to);
  for (const [{ from, to }, mischief] of active) {
    if (from !== step) continue;
    await mischief.begin?.();
    begun.add(mischief);
    history.add(describe(mischief, from, to));
  }
  proxy.play([...active.map(([, mischief]) => mischief), ...spikesAt(stage, step)]);
  for (const [{ to }, mischief] of spells) if (to === step) history.add(`${mischief.name} ends`);
  await disturb(stage, step);
  const stepMs = plan.stepsMs[step] ?? 0;
  if (stage.downUntil === null) await orderAndSend(stage, step);
  await payDue(stage, step, stepMs);
  await payments.refresh();
  await world.pass(stepMs, random);
  await payments.refresh();
  await look(stage, active.length === 0);
  if (stage.downUntil === null) treasurer.tryAll(shop);
}

/** Payers pay according to their plans; while the daemon is stopped, they cannot see the amount due. */
async function payDue(
  { payments, shop, history, downUntil }: Stage,
  step: number,
  stepMs: number,
): Promise<void> {
  for (const order of payments.orders) {
    if (!payments.isDue(order, step, stepMs)) continue;
    if (order.plan.kind === 'top-up' && downUntil !== null) continue;
    const transfer = await payments.pay(order, shop).catch(() => null);
    if (transfer === null) continue;
    const { to, amount, txids } = transfer;
    history.add(`${to.payment.id} is paid ${amount} of ${to.due} (${order.plan.kind}) by ${txids[0]}`);
  }
}

async function orderAndSend(stage: Stage, step: number): Promise<void> {
  const { plan, shop, payments, treasurer, links, history } = stage;
  for (const orderPlan of plan.orders.filter((each) => each.step === step)) {
    const { payment, due, deadline } = await payments.order(shop, orderPlan);
    history.add(`${payment.id} is ordered: ${due}, ${orderPlan.kind}, until ${history.at(deadline)}`);
  }
  for (const line of await payments.renew(shop)) history.add(line);
  for (const send of plan.sends.filter((each) => each.step === step)) {
    const wanted = await wantSend(stage, send);
    if (wanted !== null) history.add(`${wanted.key}: ${wanted.kind} ${JSON.stringify(wanted.request.body)}`);
  }
  for (const link of plan.links.filter((each) => each.step === step)) {
    const order = givenBackNext(payments.orders, link.claimAfterSteps);
    if (order !== null) history.add(await links.open(shop, order, link));
  }
  for (const line of await links.proceed(shop, step)) history.add(line);
  await links.approveAll(shop);
  treasurer.tryAll(shop);
  await Promise.race([treasurer.answered(), sleep(STEP_MS * 2)]);
}

async function wantSend(
  { shop, payments, treasurer }: Stage,
  { kind, percent }: SendPlan,
): Promise<WantedSend | null> {
  if (kind === 'consolidate') return treasurer.wantConsolidation();
  if (kind === 'send' || kind === 'send-all') return treasurer.want(shop, kind === 'send' ? percent : null);
  const order = givenBackNext(payments.orders, percent);
  return order === null ? null : treasurer.wantRefund(order, kind === 'refund' ? null : percent);
}

/** A paid order, preferably one whose payer still has a transfer to make. */
function givenBackNext(orders: readonly Order[], draw: number): Order | null {
  const paid = orders.filter(({ transfers }) => transfers.length > 0);
  const unfinished = paid.filter(({ left }) => left > 0);
  const pool = unfinished.length > 0 ? unfinished : paid;
  return pool[draw % Math.max(1, pool.length)] ?? null;
}

function spikesAt({ spikes }: Stage, step: number): Mischief[] {
  return spikes.flatMap(([{ from, to }, mischief]) => (step >= from && step < to ? [mischief] : []));
}

/** Lets the daemon poll; without faults, it has then seen everything that the node shows. */
async function look(stage: Stage, isUndisturbed: boolean): Promise<void> {
  const { proxy, till, payments, shop, history } = stage;
  const before = proxy.requests;
  await sleep(STEP_MS);
  if (stage.downUntil !== null || !isUndisturbed) return;
  const isReady = await eventually(
    'the daemon has polled',
    async () => (await till.api.call('GET', '/readyz')).status,
    (status) => status === 200 && proxy.requests >= before + LOOK_REQUESTS,
    2_000,
  ).then(
    () => true,
    () => false,
  );
  if (isReady) {
    payments.shown();
    await payments.noteAskedTwice(shop);
  } else history.add('the daemon is not ready after two seconds without faults');
}

/** On a slow machine too, the daemon polls before the clock advances; otherwise signed bytes would expire unsent. */
async function someLooks(proxy: MisbehavingProxy, isSending: boolean): Promise<void> {
  const wanted = proxy.requests + (isSending ? CALM_REQUESTS_SENDING : CALM_REQUESTS);
  await sleep(STEP_MS);
  for (let waited = 0; waited < CALM_WAITS && proxy.requests < wanted; waited += 1) await sleep(STEP_MS);
}

/** Ends all faults. @returns everything still open after enough time */
async function comeToRest(stage: Stage, lasting: readonly Mischief[]): Promise<readonly string[]> {
  const { world, proxy, till, payments, treasurer, links, history, shop, random } = stage;
  history.add(`calm${lasting.length === 0 ? '' : `, but for ${lasting.map(({ name }) => name).join()}`}`);
  if (stage.downUntil !== null) await till.up();
  stage.downUntil = null;
  const database = new TillDatabase(till.dataDir);
  let open: readonly string[] = [];
  try {
    for (const [at, ms] of CALM_STEPS_MS.entries()) {
      const step = STEPS + at;
      proxy.play([...lasting, ...spikesAt(stage, step)]);
      await payments.renew(shop);
      await payDue(stage, step, ms);
      for (const line of await links.proceed(shop, step)) history.add(line);
      await links.approveAll(shop);
      treasurer.tryAll(shop);
      await world.pass(ms, random);
      await world.settle();
      await someLooks(
        proxy,
        open.some((each) => each.endsWith(': signed') || each.endsWith(': broadcast')),
      );
      await payments.refresh();
      open = await unresolved(stage, database);
      if (open.length === 0) break;
    }
    await treasurer.answered();
  } finally {
    database.close();
  }
  for (const each of open) history.add(`open at rest: ${each}`);
  return open;
}
