import type { ApiClient, PaymentJson, Shop } from '../../test/_helpers/api-client.ts';
import type { Env } from '../../test/_helpers/till.ts';
import type { Coin } from '../../src/domain/coins.ts';

/** The other side of a shop's money in one coin: payers, those who get what it sends, and miners. */
export interface Payer {
  readonly coin: Coin;
  /** Settings of the till beside it. */
  readonly env: Env;
  /** Amount of each send, coins. */
  readonly sends: string;
  /** Gives the shop money to send, confirmed. */
  fund(shop: Shop): Promise<void>;
  pay(api: ApiClient, secretKey: string, payment: PaymentJson): Promise<void>;
  /** An address that was never paid. */
  newDestination(): Promise<string>;
  mine(): Promise<void>;
  /** How often an address of newDestination was paid `sends`, by the chain. */
  paidTimes(destination: string): Promise<number>;
  stop(): Promise<void>;
}
