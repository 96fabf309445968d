import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Owner } from '../_helpers/owner.ts';
import { ShopProxy } from '../_helpers/proxies.ts';
import { WooShop } from './driver.ts';

export interface ConnectedShop {
  readonly owner: Owner;
  readonly shop: WooShop;
  /** How browsers and tilld reach the shop. */
  readonly shopUrl: string;
  /** The way that webhooks take. */
  readonly toShop: ShopProxy;
}

/** A shop that is connected to a tilld of its own; both end with the stack. */
export async function startConnected(stack: AsyncDisposableStack): Promise<ConnectedShop> {
  const owner = stack.use(await Owner.start());
  const toShop = stack.use(await ShopProxy.start());
  const port = await freePort();
  toShop.port = port;
  const setup = { tilldUrl: owner.till.api.baseUrl, publicUrl: toShop.url, port };
  const shop = stack.use(await WooShop.start(setup));
  await shop.connect((address) => owner.agree(address));
  return { owner, shop, shopUrl: toShop.url, toShop };
}

/** Waits until an order has a status of WooCommerce. */
export async function hasStatus(shop: WooShop, orderId: string, ...wanted: string[]): Promise<void> {
  await eventually(
    `the order is ${wanted.join(' or ')}`,
    () => shop.command<{ status: string }>('state', { orderId }),
    ({ status }) => wanted.includes(status),
    60_000,
  );
}

/** Waits for a note of an order. */
export async function hasNote(shop: WooShop, orderId: string, text: RegExp): Promise<void> {
  await eventually(
    `a note says ${text}`,
    () => shop.notes(orderId),
    (notes) => notes.some((note) => text.test(note)),
    60_000,
  );
}
