import type { Chains } from '../../domain/chains.ts';
import type { ChainAdapter } from '../../domain/chain.ts';
import { type ChainId, type Coin } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import type { AddressDeriver, FindListedProblem, ReadWatchAccount, SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { SendPolicy } from '../../domain/send/policy.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findOwnMerchant, merchantMode } from '../access/index.ts';

export interface WatchDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly chains: Chains;
  readonly policy: Pick<SendPolicy, 'forwardDelayMs'>;
  readonly readWatchAccount: ReadWatchAccount;
  readonly findListedProblem: FindListedProblem;
  readonly deriver: AddressDeriver;
  readonly secretBox: SecretBox;
}

/** The wallet that a user means. */
export interface WatchRef {
  readonly userId: string;
  readonly merchantId: string;
  readonly coin: Coin;
}

export interface OpenedWallet {
  readonly wallet: ChainId & { readonly merchantId: string; readonly account: number };
  readonly adapter: ChainAdapter;
}

/**
 * The wallet of a coin in the current mode, for the owner of the shop.
 * @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN, COIN_UNAVAILABLE
 */
export async function openOwnWallet(
  db: Db,
  { chains }: Pick<WatchDeps, 'chains'>,
  { userId, merchantId, coin }: WatchRef,
): Promise<OpenedWallet> {
  const merchant = await findOwnMerchant(db, userId, merchantId);
  const mode = merchantMode(merchant);
  const adapter = chains.get(coin, mode);
  if (adapter === null) throw new AppError('COIN_UNAVAILABLE', `${coin} is not configured in ${mode} mode`);
  return { wallet: { coin, mode, merchantId: merchant.id, account: merchant.account }, adapter };
}
