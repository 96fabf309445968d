import type { ApiClient, PaymentJson, Shop } from '../../test/_helpers/api-client.ts';
import type { Env } from '../../test/_helpers/till.ts';
import type { Coin } from '../../src/domain/coins.ts';

/** The participants on a chain other than the shop: payers, recipients of its sends, and miners. */
export interface Payer {
  readonly coin: Coin;
  /** Settings of the daemon that uses this node. */
  readonly env: Env;
  /** Amount of each send, in coins. */
  readonly sends: string;
  /** Funds the shop's wallet, confirmed. */
  fund(shop: Shop): Promise<void>;
  pay(api: ApiClient, secretKey: string, payment: PaymentJson): Promise<void>;
  /** An unused address. */
  newDestination(): Promise<string>;
  mine(): Promise<void>;
  /** How often an address of newDestination received `sends`, according to the chain. */
  paidTimes(destination: string): Promise<number>;
  stop(): Promise<void>;
}
