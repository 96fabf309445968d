import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson } from '../api-client.ts';
import { liveEnv, Till, TillProcess } from '../till.ts';
import { WebhookSink } from '../webhook-sink.ts';
import { SvmNode } from './node.ts';
import { Payer } from './payer.ts';

/** Blocks after which nothing signed before can land any more, seen from the finalized block as well. */
export const EXPIRY = 200;
/** Blocks after which a payment is settled. */
export const SETTLED = 33;
/** Transfers that fit into one transaction. */
const PER_TRANSACTION = 10;

interface SvmWorldOptions {
  /** Settings of the till besides the node's address. */
  readonly env?: (node: SvmNode) => Readonly<Record<string, string>>;
  /** See SvmNode.start. */
  readonly finalizedLag?: number;
  /** Made before the till first looks. */
  readonly blocks?: number;
}

/** A Solana node, a payer on it, a till, and a receiver of its webhooks. */
export class SvmWorld<T extends Till | TillProcess = Till> implements AsyncDisposable {
  readonly node: SvmNode;
  readonly payer: Payer;
  readonly sink: WebhookSink;
  readonly till: T;

  private constructor(parts: Pick<SvmWorld<T>, 'node' | 'payer' | 'sink' | 'till'>) {
    this.node = parts.node;
    this.payer = parts.payer;
    this.sink = parts.sink;
    this.till = parts.till;
  }

  /** With a till in the test's own process, ready. */
  static async start({ env, ...options }: SvmWorldOptions = {}): Promise<SvmWorld> {
    return SvmWorld.#around(options, async (node) =>
      Till.start({ ...liveEnv({ SOL: node.url }), ...env?.(node) }),
    );
  }

  /** With a till that can be killed, ready. */
  static async startProcess(): Promise<SvmWorld<TillProcess>> {
    return SvmWorld.#around({}, async (node) => TillProcess.start(liveEnv({ SOL: node.url })));
  }

  static async #around<T extends Till | TillProcess>(
    { finalizedLag, blocks = 0 }: Omit<SvmWorldOptions, 'env'>,
    start: (node: SvmNode) => Promise<T>,
  ): Promise<SvmWorld<T>> {
    const node = await SvmNode.start(finalizedLag === undefined ? {} : { finalizedLag });
    const payer = new Payer(node);
    node.advance(blocks);
    const sink = await WebhookSink.start();
    const till = await start(node);
    await till.ready();
    return new SvmWorld({ node, payer, sink, till });
  }

  async end(): Promise<void> {
    await this.till.end();
    await Promise.all([this.sink.close(), this.node.stop()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /** A new merchant whose webhooks come to the sink. */
  async openShop(): Promise<Shop> {
    return Shop.open(this.till.api, { webhookUrl: this.sink.url });
  }

  lamports(address: string): bigint {
    return this.node.ledger.machine.lamports(address);
  }

  /** Completed payments, paid in full or by this amount each. Answers their addresses. */
  async earn(shop: Shop, count: number, each?: bigint): Promise<string[]> {
    const payments: PaymentJson[] = [];
    for (let made = 0; made < count; made += 1) {
      payments.push(await shop.createPayment({ allowedCryptos: ['SOL'] }));
    }
    const outputs = payments.map((payment) => ({
      address: addressOf(payment),
      amount: each ?? due(payment),
    }));
    for (let at = 0; at < outputs.length; at += PER_TRANSACTION) {
      this.payer.pay(outputs.slice(at, at + PER_TRANSACTION));
    }
    this.node.advance(SETTLED);
    for (const { id } of payments) await this.sink.waitForEvent('payment.completed', id);
    return outputs.map(({ address }) => address);
  }
}

/** What a payment asks for, in lamports. */
export function due({ options }: PaymentJson): bigint {
  return parseCoinAmount(options['SOL'].amount, 'SOL');
}

/** Where a payment is to be paid. */
export function addressOf({ options }: PaymentJson): string {
  return options['SOL'].address;
}

/** What a merchant could send now, in lamports. */
export async function balanceOf(shop: Shop): Promise<bigint> {
  return parseCoinAmount(await shop.balance('SOL'), 'SOL');
}
