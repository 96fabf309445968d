import { spendingModel } from '../../../domain/accounts.ts';
import type { ChainId } from '../../../domain/coins.ts';

/** Whether a send can draw on one address only, the merchant's own, so that deposits must be moved there first. */
export function sendsFromOneAddress(chain: ChainId): boolean {
  return spendingModel(chain) === 'one-account';
}

/** Whether a send draws on balances of accounts instead of spending outputs of certain transactions. */
export function spendsAccounts(chain: ChainId): boolean {
  return spendingModel(chain) !== 'outputs';
}
