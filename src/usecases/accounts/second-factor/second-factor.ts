import { consumeRecoveryCode, consumeTotpStep } from '../../../store/accounts/second-factors.ts';
import type { SecondFactorRow, UserRow } from '../../../store/schema/accounts.ts';
import type { AccountDeps } from '../account-deps.ts';
import { mailNotice } from '../mail-notice.ts';
import { recoveryCodeHash } from './recovery-codes.ts';
import { verifyTotp } from './totp.ts';

type CodeDeps = Pick<AccountDeps, 'db' | 'clock' | 'secretBox' | 'baseUrl'>;

/** A code as typed: apps display it in two groups. */
export function plainCode(code: string): string {
  return code.replace(/\s/g, '');
}

/** Consumes a TOTP or recovery code of a user; false when it is wrong or was used before. */
export async function consumeSecondFactorCode(
  deps: CodeDeps,
  user: UserRow,
  factor: SecondFactorRow,
  code: string,
): Promise<boolean> {
  const plain = plainCode(code);
  if (/^\d{6}$/.test(plain)) {
    const step = verifyTotp(deps.secretBox.open(factor.secretSealed), plain, deps.clock.now());
    return step !== null && consumeTotpStep(deps.db, user.id, step);
  }
  const hash = recoveryCodeHash(user.id, code);
  return deps.db.transaction(async (tx) => {
    if (!(await consumeRecoveryCode(tx, { userId: user.id, hash, now: deps.clock.now() }))) return false;
    await mailNotice(tx, deps, user, 'recovery-code-used');
    return true;
  });
}
