import { coinReadiness, type CoinReadiness, type FollowedChain } from '../../domain/coin-readiness.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { updateMerchant } from '../../store/merchants/merchants.ts';

export interface SwitchSandboxDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** What is known of the chains now. */
  readonly followedChains: () => readonly FollowedChain[];
}

interface Switched {
  readonly sandboxMode: boolean;
  /** Readiness of each coin for live payments. */
  readonly coins: readonly CoinReadiness[];
}

/**
 * Turns a merchant's sandbox on or off for payments created from now on; existing ones stay what they are and are
 * watched in either mode.
 * @throws {AppError} INVALID_STATE, with the reason of each coin, for a merchant in the sandbox when no coin is ready
 */
export async function switchSandbox(
  deps: SwitchSandboxDeps,
  input: { readonly merchant: Pick<MerchantRow, 'id' | 'sandbox'>; readonly sandboxMode: boolean },
): Promise<Switched> {
  const { merchant, sandboxMode } = input;
  const coins = coinReadiness(deps.followedChains());
  const goesLive = merchant.sandbox === 1 && !sandboxMode;
  if (goesLive && !coins.some(({ state }) => state === 'ready')) throw noneReady(coins);
  const row = await updateMerchant(deps.db, merchant.id, {
    sandbox: sandboxMode ? 1 : 0,
    updated_at: deps.clock.now(),
  });
  return { sandboxMode: row.sandbox === 1, coins };
}

function noneReady(coins: readonly CoinReadiness[]): AppError {
  const details = coins.map(({ coin, state, message }) => ({ field: coin, code: state, message }));
  const reasons = coins.map(({ coin, message }) => `${coin}: ${message}`).join('; ');
  return new AppError('INVALID_STATE', `No coin is ready to take real money yet. ${reasons}`, { details });
}
