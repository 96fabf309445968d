import type { Db } from '../../../store/sqlite/database.ts';
import { countRecoveryCodes, findSecondFactor } from '../../../store/accounts/second-factors.ts';

export interface TotpStatus {
  readonly enabled: boolean;
  /** Milliseconds; null while it is off. */
  readonly enabledAt: number | null;
  readonly recoveryCodesLeft: number;
}

/** Whether signing in requires a second factor. */
export async function readTotp(deps: { readonly db: Db }, userId: string): Promise<TotpStatus> {
  const factor = await findSecondFactor(deps.db, userId);
  const enabledAt = factor?.enabledAt ?? null;
  const recoveryCodesLeft = await countRecoveryCodes(deps.db, userId);
  return { enabled: enabledAt !== null, enabledAt, recoveryCodesLeft };
}
