import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { Owner } from '../_helpers/owner.ts';
import { ShopProxy, TilldProxy } from '../_helpers/proxies.ts';
import { WooShop } from './driver.ts';

/** The life of the plugin in a site: the clean-up of orders, moving, trouble, leaving. */
const PLUGIN = 'tilld-for-woocommerce/tilld-for-woocommerce.php';
const SCOPES = ['payments:write', 'refunds:write', 'customers:write', 'events:read', 'webhooks:write'];
const NETWORK = { SHOP_NETWORK: 'yes' };

interface Left {
  readonly options: string[];
  readonly isScheduled: boolean;
  readonly orderData: number;
}

/** A shop of its own beside a tilld of its own. */
class World implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly owner: Owner;
  readonly shop: WooShop;
  readonly toTilld: TilldProxy;
  readonly toShop: ShopProxy;

  private constructor(
    parts: Pick<World, 'owner' | 'shop' | 'toTilld' | 'toShop'>,
    stack: AsyncDisposableStack,
  ) {
    this.owner = parts.owner;
    this.shop = parts.shop;
    this.toTilld = parts.toTilld;
    this.toShop = parts.toShop;
    this.#stack = stack;
  }

  static async start(): Promise<World> {
    const stack = new AsyncDisposableStack();
    const owner = stack.use(await Owner.start());
    const toShop = stack.use(await ShopProxy.start());
    const toTilld = stack.use(await TilldProxy.start(owner.till.api.baseUrl));
    const port = await freePort();
    toShop.port = port;
    const shop = stack.use(await WooShop.start({ tilldUrl: toTilld.url, publicUrl: toShop.url, port }));
    return new World({ owner, shop, toTilld, toShop }, stack);
  }

  /** A step of leave.php. */
  async leave<T>(
    step: string,
    given: unknown = null,
    env: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const args = [this.shop.site.wordpress, step, PLUGIN, JSON.stringify(given)];
    return JSON.parse(await this.shop.site.php('leave.php', args, env)) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

let world: World;

beforeAll(async () => {
  world = await World.start();
  await world.shop.connect((address) => world.owner.agree(address));
}, 1_200_000);
afterAll(() => world[Symbol.asyncDispose]());

describe("WooCommerce's clean-up of unpaid orders", () => {
  it.each(['checkout', 'store-api'] as const)(
    'cancels an unpaid order of %s and its payment',
    async (via) => {
      const { shop, owner } = world;
      const { orderId, paymentId } = await shop.order({ via });
      await shop.cleanUp();
      expect(await shop.state(orderId)).toBe('cancelled');
      expect(await owner.payment(paymentId)).toMatchObject({ status: 'cancelled' });
    },
  );

  it('keeps an order of the block checkout whose payment has money, though no webhook came', async () => {
    const { shop, owner, toShop } = world;
    const { orderId, paymentId } = await shop.order({ via: 'store-api' });
    toShop.weather = 'lose';
    try {
      await owner.pay(paymentId);
      await shop.cleanUp();
      expect(await shop.state(orderId)).toBe('seen');
    } finally {
      toShop.weather = 'pass';
    }
  });

  it('keeps an order of the block checkout while tilld cannot be asked', async () => {
    const { shop, toTilld } = world;
    const { orderId } = await shop.order({ via: 'store-api' });
    toTilld.isDown = true;
    try {
      await shop.cleanUp();
      expect(await shop.state(orderId)).toBe('waiting');
    } finally {
      toTilld.isDown = false;
    }
  });
});

describe('deleting the plugin without WooCommerce', () => {
  it('removes its data in the site and keeps those of orders, though tilld does not answer', async () => {
    const { toTilld } = world;
    await world.leave('keep');
    await world.leave('off');
    toTilld.isDown = true;
    try {
      await world.leave('delete');
    } finally {
      toTilld.isDown = false;
    }
    expect(await world.leave<Left[]>('left')).toEqual([{ options: [], isScheduled: false, orderData: 1 }]);
  });

  it('removes its data in every site of a network, and before that in a site that is deleted', async () => {
    const { owner, shop } = world;
    await shop.site.php('network.php', [shop.site.wordpress]);
    const keys = [await owner.makeKey(SCOPES), await owner.makeKey(SCOPES)];
    const given = { keys, url: owner.till.api.baseUrl, merchantId: owner.merchantId };
    await world.leave('on', null, NETWORK);
    const [first] = await world.leave<number[]>('sites', given, NETWORK);
    const active = async (): Promise<number> =>
      (await owner.endpoints()).filter((endpoint) => endpoint.active).length;
    const before = await active();
    await world.leave('delete-site', { id: first }, NETWORK);
    expect(await active()).toBe(before - 1);
    await world.leave('off', null, NETWORK);
    await world.leave('delete', null, NETWORK);
    const left = await world.leave<Left[]>('left', null, NETWORK);
    expect(left).toHaveLength(2);
    for (const site of left) expect(site).toMatchObject({ options: [], isScheduled: false, orderData: 1 });
    expect(await active()).toBe(before - 2);
  });
});
