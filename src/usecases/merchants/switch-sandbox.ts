import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { updateMerchant } from '../../store/merchants/merchants.ts';

/** Turns a merchant's sandbox on or off for payments created from now on; existing ones stay what they are. */
export async function switchSandbox(
  deps: { readonly db: Db; readonly clock: Clock },
  input: { readonly merchantId: string; readonly sandboxMode: boolean },
): Promise<boolean> {
  const row = await updateMerchant(deps.db, input.merchantId, {
    sandbox: input.sandboxMode ? 1 : 0,
    updated_at: deps.clock.now(),
  });
  return row.sandbox === 1;
}
