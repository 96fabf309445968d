/** What a shopkeeper would see of an order, in the words of the SDK's `shopState`. `cancelled`: the shop gave it up. */
export type OrderState = 'waiting' | 'seen' | 'paid' | 'short' | 'late' | 'lost' | 'refunded' | 'cancelled';

/** Where a shop under test runs, and between which proxies. */
export interface ShopSetup {
  /** Where the shop reaches tilld: a proxy that can fail. */
  readonly tilldUrl: string;
  /** Where tilld and browsers reach the shop: a proxy that loses, repeats and reorders webhooks. */
  readonly publicUrl: string;
  /** The shop listens on 127.0.0.1 at this port. */
  readonly port: number;
}

/** A payment that a customer was sent to. */
export interface Placed {
  readonly paymentId: string;
  readonly checkoutUrl: string;
}

/** A real shop with its plugin, driven the way its customers, its shopkeeper and its scheduler would. */
export interface ShopDriver extends AsyncDisposable {
  readonly name: string;
  /**
   * Connects by the plugin's own button. The plugin yields the address of tilld's connect page; `agree`
   * plays the owner and answers where he is sent back to. Afterwards the plugin has an endpoint of its own.
   */
  connect(agree: (connectUrl: string) => Promise<string>): Promise<void>;
  /** A customer orders so many of the article and chooses tilld. */
  order(options?: { quantity?: number; email?: string }): Promise<Placed & { readonly orderId: string }>;
  state(orderId: string): Promise<OrderState>;
  /** The notes that the shopkeeper reads next to the order. */
  notes(orderId: string): Promise<readonly string[]>;
  /** The customer comes back from the checkout, changes the cart and goes on to pay. */
  changeCart(orderId: string, quantity: number): Promise<Placed>;
  /** The order is given up. May reject when the shop refuses because money came. */
  cancel(orderId: string): Promise<void>;
  /** The shop's own refund button for the whole amount; the claim link that it made. */
  refund(orderId: string): Promise<{ readonly linkUrl: string }>;
  /** Whether the shop's own refund is done. */
  refundSettled(orderId: string): Promise<boolean>;
  /** The platform's clean-up of unpaid orders, as though their time were over. */
  cleanUp(): Promise<void>;
  /** The plugin's job on the events cursor, now. */
  reconcile(): Promise<void>;
  /** What the settings page says. */
  health(): Promise<{ readonly key: boolean; readonly webhook: boolean; readonly node: boolean }>;
  /** Stops the shop's server; its data stay. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export type StartShop = (setup: ShopSetup) => Promise<ShopDriver>;
