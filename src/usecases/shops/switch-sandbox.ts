import { coinReadiness, type CoinReadiness, type FollowedChain } from '../../domain/coin-readiness.ts';
import type { Clock } from '../../domain/ports.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { updateMerchant } from '../../store/merchants/merchants.ts';

export interface SwitchSandboxDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** The current state of the chains. */
  readonly followedChains: () => readonly FollowedChain[];
}

interface Switched {
  readonly sandboxMode: boolean;
  /** Readiness of each coin for live payments. */
  readonly coins: readonly CoinReadiness[];
}

/**
 * Turns a merchant's sandbox on or off for payments created from now on; existing ones keep their mode and
 * are watched in either mode. A merchant may go live before any coin is ready: live payments then wait for
 * its node, or are rejected while the server has none.
 */
export async function switchSandbox(
  deps: SwitchSandboxDeps,
  input: { readonly merchant: Pick<MerchantRow, 'id'>; readonly sandboxMode: boolean },
): Promise<Switched> {
  const { merchant, sandboxMode } = input;
  const coins = coinReadiness(deps.followedChains());
  const row = await updateMerchant(deps.db, merchant.id, {
    sandbox: sandboxMode,
    updatedAt: deps.clock.now(),
  });
  return { sandboxMode: row.sandbox, coins };
}
