import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { t } from '../i18n/t.ts';
import { ApiError, keptSession, requestPrivate } from './client.ts';
import type { PasskeyPlace, PasskeyQuestion } from './passkey-answers.ts';
import type { Session } from './session.ts';

/** Why no passkey can be used in this page; null when one can. */
export function whyNoPasskeys({ origin, reason }: PasskeyPlace): string | null {
  if (origin === null) return reason;
  if (origin !== location.origin)
    return t('Passkeys work at {origin} only: open the dashboard there.', { origin });
  return browserSupportsWebAuthn() ? null : t('This browser has no passkeys.');
}

/** Makes a passkey in this browser and keeps it. @throws {ApiError} */
export async function addPasskey(name: string): Promise<void> {
  const { options } = await requestPrivate('POST /auth/passkeys/options');
  const credential = await answerOf(async () => startRegistration({ optionsJSON: options }));
  await requestPrivate('POST /auth/passkeys', { name, credential });
}

/** Signs in by whichever passkey the user picks. @throws {ApiError} */
export async function signInByPasskey(): Promise<Session> {
  const credential = await assertionFor(await requestPrivate('GET /auth/passkeys/sign-in'));
  await requestPrivate('POST /auth/passkeys/sign-in', { credential });
  return keptSession();
}

/** Proves by one of the user's passkeys who is there. @throws {ApiError} */
export async function stepUpByPasskey(): Promise<void> {
  const credential = await assertionFor(await requestPrivate('GET /auth/passkeys/step-up'));
  await requestPrivate('POST /auth/passkeys/step-up', { credential });
}

async function assertionFor({ options, reason }: PasskeyQuestion) {
  if (options === null)
    throw new ApiError(0, 'NO_PASSKEY', reason ?? t('You have no passkey that works here.'));
  return answerOf(async () => startAuthentication({ optionsJSON: options }));
}

/** What the browser answers; it does not tell a user who said no from a device that has no passkey. */
async function answerOf<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError';
    throw new ApiError(
      0,
      'NO_PASSKEY',
      isKnown
        ? t('There is a passkey of this account on this device already.')
        : t('The browser gave no passkey: it was cancelled, took too long, or there is none.'),
    );
  }
}
