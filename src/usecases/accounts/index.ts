/** Users: registration, passwords, second factors, passkeys, sessions, tokens, and their revocation. */
export type { AccountDeps } from './account-deps.ts';
export { invalidToken, tokenHash } from './account-link.ts';
export { assertConfirmed } from './assert-confirmed.ts';
export { auditDaemon } from './audit-daemon.ts';
export { auditOperator, auditOperatorEverywhere } from './audit-operator.ts';
export { addPasskey, registrationOptions } from './passkeys/add-passkey.ts';
export { signInOptions, stepUpOptions } from './passkeys/passkey-options.ts';
export { listPasskeys, type Passkey } from './passkeys/list-passkeys.ts';
export { removePasskey } from './passkeys/remove-passkey.ts';
export { renamePasskey } from './passkeys/rename-passkey.ts';
export { signInByPasskey } from './passkeys/sign-in-by-passkey.ts';
export { changePassword } from './passwords/change-password.ts';
export { assertUncommon } from './passwords/common-passwords.ts';
export { forgotPassword } from './passwords/forgot-password.ts';
export { createPasswordHasher, type PasswordHasher } from './passwords/password-hasher.ts';
export { resetPassword } from './passwords/reset-password.ts';
export { reviewReset } from './passwords/review-reset.ts';
export { readMe } from './read-me.ts';
export { register, type RegisterDeps } from './register.ts';
export { resendVerification } from './resend-verification.ts';
export { type Applied, applyRevocations } from './revocation/apply-revocations.ts';
export { revokeCredentials } from './revocation/revoke-credentials.ts';
export {
  type AccountSummary,
  confirmUserKeys,
  listAccounts,
  makeOwner,
  type RescueDeps,
  resetSecondFactor,
  setPassword,
} from './revocation/rescue-account.ts';
export { confirmKeys, suspendShops } from './revocation/suspend-shops.ts';
export { disableTotp } from './second-factor/disable-totp.ts';
export { enableTotp } from './second-factor/enable-totp.ts';
export { readTotp } from './second-factor/read-totp.ts';
export { setupTotp } from './second-factor/setup-totp.ts';
export {
  findProof,
  findSecondFactorSetUpAt,
  isSteppedUp,
  stepUp,
  stepUpByPasskey,
} from './second-factor/step-up.ts';
export {
  assertNotSuspended,
  authenticate,
  type AuthenticateDeps,
  authenticateSession,
  type Caller,
} from './sessions/authenticate.ts';
export {
  type Client,
  closeDashboardSession,
  countingAt,
  endSession,
  listSessions,
  openDashboardSession,
  sealClient,
  SESSION_LIFETIME_MS,
  signOutEverywhere,
} from './sessions/dashboard-session.ts';
export { login, proveUser } from './sessions/login.ts';
export type { CurrentSession, RenewedSession } from './sessions/renew-session.ts';
export type { ContinuedSession, Session } from './sessions/session.ts';
export { createLoginThrottle, noLoginThrottle } from './sessions/login-throttle.ts';
export { createJwtTokens, type JwtTokens } from './sessions/jwt-tokens.ts';
export { newSetupToken } from './setup-token.ts';
export { verifyEmail } from './verify-email.ts';
