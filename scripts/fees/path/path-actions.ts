/** What each automatic action of the wallet pays while the fee rate rises tenfold and falls again. */
import { formatCoinAmount } from '../../../src/domain/money.ts';
import { spentBudgets, type SpentBudget } from '../../../test/_helpers/fee-oracle.ts';
import { CONSOLIDATE_BELOW, type Merchant, PathShop } from './path-shop.ts';
import type { PathChain } from './path-chain.ts';
import { type Course, COURSES } from './path-course.ts';

/** Dollars. */
const PAYMENT = '50.00';
const HOURS_PER_RATE = 2;
/** Indexes of the rates at whose end each kind of action is ordered: low, at the begin of the rush, at its peak. */
const ORDERED_AT: ReadonlySet<number> = new Set([0, 1, 3]);
const LAST_HOURS = 4;
const DUST = Array.from({ length: 210 }, () => '0.0004');

export interface Row {
  readonly action: string;
  /** The rate at which it was ordered or became due. */
  readonly orderedAt: string;
  readonly versions: number;
  readonly paid: string;
  readonly budget: string;
  /** Its status at the end of each rate; empty after it was confirmed. */
  readonly history: readonly string[];
}

export interface Played {
  readonly rates: readonly string[];
  readonly rows: readonly Row[];
  readonly problems: readonly string[];
}

/** An order or a claim, which may have no send yet. */
interface Waiting {
  readonly action: string;
  readonly orderedAt: bigint;
  readonly history: string[];
  sendId: string | null;
  /** Its status while it has no send. */
  readonly advance: () => Promise<{ readonly status: string; readonly sendId: string | null }>;
}

interface Shops {
  readonly limited: Merchant;
  readonly free: Merchant;
  readonly claims: Merchant;
  readonly chained: Merchant;
  readonly crowded: Merchant;
}

export async function playPath(chain: PathChain): Promise<Played> {
  const shop = await PathShop.open(chain);
  try {
    return await new Path(shop, COURSES[chain.coin]).play();
  } finally {
    await shop.close();
  }
}

class Path {
  readonly #shop: PathShop;
  readonly #course: Course;
  readonly #names = new Map<string, string>();
  readonly #waiting: Waiting[] = [];
  readonly #histories = new Map<string, string[]>();
  readonly #bornAt = new Map<string, bigint>();
  readonly #problems: string[] = [];

  constructor(shop: PathShop, course: Course) {
    this.#shop = shop;
    this.#course = course;
  }

  async play(): Promise<Played> {
    const { rates, unit } = this.#course;
    const shops = await this.#openShops();
    for (const [at, rate] of rates.entries()) {
      await this.#shop.chain.setRate(rate);
      await this.#shop.sync();
      const isLast = at === rates.length - 1;
      for (let hour = 0; hour < (isLast ? LAST_HOURS : HOURS_PER_RATE); hour += 1) {
        await this.#shop.round();
        await this.#noteBirths(rate);
        await this.#shop.block();
        await this.#check();
      }
      if (ORDERED_AT.has(at)) await this.#order(shops, rate);
      // The daemon signs what it can at this rate, and the next one applies before a block.
      if (!isLast) await this.#shop.round();
      await this.#noteBirths(rate);
      await this.#check();
      await this.#note(at);
    }
    return {
      rates: rates.map((rate) => `${rate} ${unit}`),
      rows: await this.#rows(),
      problems: this.#problems,
    };
  }

  async #openShops(): Promise<Shops> {
    const { wallet } = this.#course;
    const limited = await this.#open(`send with maxFee ${this.#course.maxFee}`);
    const free = await this.#open('send without maxFee');
    const claims = await this.#open('refund claim');
    const chained = await this.#open('sends in a chain (RBF of the last, CPFP)');
    const crowded = await this.#open('send of a wallet of many outputs');
    for (const merchant of [limited, free, claims]) await this.#shop.fund(merchant, ...wallet);
    if (this.#shop.chain.coin === 'BTC') await this.#shop.fund(chained, '0.05');
    return { limited, free, claims, chained, crowded };
  }

  async #open(action: string): Promise<Merchant> {
    const merchant = await this.#shop.newMerchant();
    this.#names.set(merchant.id, action);
    return merchant;
  }

  /** Each kind of action once more, at the end of a rate. */
  async #order(shops: Shops, rate: bigint): Promise<void> {
    const { limited, free, claims, chained, crowded } = shops;
    const { small, large, maxFee } = this.#course;
    await this.#orderSend(limited, { amount: large, maxFee, rate });
    await this.#orderSend(free, { amount: small, rate });
    if (this.#shop.chain.coin === 'BTC' && rate === this.#course.rates[0]) {
      await this.#shop.fund(crowded, ...DUST);
      for (let made = 0; made < 2; made += 1) await this.#orderSend(chained, { amount: small, rate });
    }
    const linkId = await this.#shop.claim(claims, await this.#shop.paid(claims, PAYMENT));
    await this.#wait({
      action: 'refund claim',
      orderedAt: rate,
      history: [],
      sendId: null,
      advance: async () => {
        const { db } = this.#shop.world;
        const link = await db
          .selectFrom('refund_links')
          .selectAll()
          .where('id', '=', linkId)
          .executeTakeFirstOrThrow();
        return { status: link.status, sendId: link.sendId };
      },
    });
    await this.#orderForward(rate);
  }

  /** A shop of its own, because a rule makes one forward after the other. */
  async #orderForward(rate: bigint): Promise<void> {
    const { keep, threshold, forwarded } = this.#course;
    const merchant = await this.#open('forward');
    await this.#shop.forwardTo(merchant, { keep, threshold });
    await this.#shop.fund(merchant, keep, forwarded);
    const advance = async () => this.#shop.forwardStatus(merchant);
    await this.#wait({ action: 'forward', orderedAt: rate, history: [], sendId: null, advance });
  }

  async #orderSend(
    merchant: Merchant,
    { amount, maxFee, rate }: { readonly amount: string; readonly maxFee?: string; readonly rate: bigint },
  ): Promise<void> {
    const advance = async () => {
      const made = await this.#shop.send(merchant, amount, maxFee);
      return 'refused' in made
        ? { status: made.refused, sendId: null }
        : { status: 'ordered', sendId: made.id };
    };
    const action = this.#names.get(merchant.id) ?? '';
    await this.#wait({ action, orderedAt: rate, history: [], sendId: null, advance });
  }

  async #wait(waiting: Waiting): Promise<void> {
    this.#waiting.push(waiting);
    await this.#advance(waiting);
  }

  async #advance(waiting: Waiting): Promise<string> {
    const { status, sendId } = await waiting.advance();
    waiting.sendId = sendId;
    return status;
  }

  /** Sends that exist now and did not before became due at this rate. */
  async #noteBirths(rate: bigint): Promise<void> {
    for (const { id } of await this.#shop.world.db.selectFrom('sends').select('id').execute())
      if (!this.#bornAt.has(id)) this.#bornAt.set(id, rate);
  }

  async #note(at: number): Promise<void> {
    for (const waiting of this.#waiting)
      if (waiting.sendId === null) waiting.history[at] = await this.#advance(waiting);
    const rows = await this.#shop.world.db
      .selectFrom('sends')
      .select(['id', 'status', 'feeLimitedAt'])
      .execute();
    for (const { id, status, feeLimitedAt } of rows) {
      const history = this.#histories.get(id) ?? [];
      history[at] = feeLimitedAt === null || status === 'confirmed' ? status : `${status}, feeLimited`;
      this.#histories.set(id, history);
    }
  }

  /** No send costs more than its budget, and no budget is above the rule that applies to it. */
  async #check(): Promise<void> {
    for (const spent of await spentBudgets(this.#shop.world.db)) {
      const { send, worst } = spent;
      const budget = BigInt(send.maxFee);
      const limit = await this.#limit(spent);
      const action = this.#actionOf(send);
      if (worst > budget)
        this.#report(`${action} ${send.id} may cost ${worst} of a budget of ${budget} atoms`);
      if (send.drawsOn === null && limit !== null && budget > limit)
        this.#report(`${action} ${send.id} has a budget of ${budget} atoms, and its rule allows ${limit}`);
    }
  }

  #report(problem: string): void {
    if (!this.#problems.includes(problem)) this.#problems.push(problem);
  }

  /** The most that the settings allow; null: its first fee was ordered. Atoms. */
  async #limit({ send, versions }: SpentBudget): Promise<bigint | null> {
    const ordered = BigInt(send.ordered);
    const first = versions.toSorted((a, b) => Number(a.fee - b.fee))[0];
    if (send.purpose === 'sweep') {
      if (this.#shop.chain.coin === 'ETH' || first === undefined) return ordered / 20n;
      return ((first.fee * 1_000n) / first.feeRate + 1n) * (CONSOLIDATE_BELOW / 1_000n);
    }
    if (send.reason === 'forward') return ordered / 100n;
    const { db } = this.#shop.world;
    const refund = await db
      .selectFrom('refunds')
      .select('amount')
      .where('sendId', '=', send.id)
      .executeTakeFirst();
    if (refund !== undefined) return BigInt(refund.amount);
    const share = ordered / 10n;
    return first === undefined || share > first.fee ? share : first.fee;
  }

  #actionOf({ merchantId, purpose, drawsOn }: SpentBudget['send']): string {
    if (drawsOn !== null) return 'child that pays for its parent (CPFP)';
    if (purpose !== 'sweep') return this.#names.get(merchantId) ?? '';
    return this.#shop.chain.coin === 'BTC' ? 'consolidation' : 'sweep';
  }

  async #rows(): Promise<Row[]> {
    const { rates, unit } = this.#course;
    const { coin } = this.#shop.chain;
    const show = (atoms: string): string => formatCoinAmount(BigInt(atoms), coin);
    const rows: Row[] = [];
    for (const { send, versions } of await spentBudgets(this.#shop.world.db)) {
      const { id, status, fee, maxFee } = send;
      const order = this.#waiting.find(({ sendId }) => sendId === id);
      const action = this.#actionOf(send);
      if (status !== 'confirmed' && status !== 'failed')
        this.#report(`${action} ${id} is ${status} at the end`);
      const at = order?.orderedAt ?? this.#bornAt.get(id);
      const statuses = rates.map((_, step) => this.#histories.get(id)?.[step] ?? order?.history[step] ?? '');
      const history = statuses.map((now, step) =>
        now === statuses[step - 1] && now === 'confirmed' ? '' : now,
      );
      const orderedAt = at === undefined ? '' : `${at} ${unit}`;
      rows.push({
        action,
        orderedAt,
        versions: versions.length,
        paid: show(fee),
        budget: show(maxFee),
        history,
      });
    }
    for (const { action, orderedAt, sendId } of this.#waiting)
      if (sendId === null) this.#report(`${action} of ${orderedAt} ${unit} was not sent`);
    return rows.toSorted((a, b) => (a.action < b.action ? -1 : Number(a.action > b.action)));
  }
}
