import { t } from '../i18n/t.ts';
import { ApiError, keptSession, requestPrivate } from './client.ts';
import type { PasskeyPlace, PasskeyOptions } from './passkey-answers.ts';
import type { Session } from './session.ts';
import { loadLater } from '../load-later.ts';

const loadWebAuthn = loadLater(async () => import('@simplewebauthn/browser'));

/** The reason why passkeys cannot be used in this page; null if they can. */
export function whyNoPasskeys({ origin, reason }: PasskeyPlace): string | null {
  if (origin === null) return reason;
  if (origin !== location.origin)
    return t('Passkeys work at {origin} only: open the dashboard there.', { origin });
  return typeof window.PublicKeyCredential === 'function' ? null : t('This browser has no passkeys.');
}

/** Creates a passkey in this browser and stores it. @throws {ApiError} */
export async function addPasskey(name: string): Promise<void> {
  const { options } = await requestPrivate('POST /auth/passkeys/options');
  const credential = await askAuthenticator(async () =>
    (await loadWebAuthn()).startRegistration({ optionsJSON: options }),
  );
  await requestPrivate('POST /auth/passkeys', { name, credential });
}

/** Signs in with the passkey that the user selects. @throws {ApiError} */
export async function signInByPasskey(): Promise<Session> {
  const credential = await assertionFor(await requestPrivate('GET /auth/passkeys/sign-in'));
  await requestPrivate('POST /auth/passkeys/sign-in', { credential });
  return keptSession();
}

/** Step-up with one of the user's passkeys. @throws {ApiError} */
export async function stepUpByPasskey(): Promise<void> {
  const credential = await assertionFor(await requestPrivate('GET /auth/passkeys/step-up'));
  await requestPrivate('POST /auth/passkeys/step-up', { credential });
}

async function assertionFor({ options, reason }: PasskeyOptions) {
  if (options === null)
    throw new ApiError(0, 'NO_PASSKEY', reason ?? t('You have no passkey that works here.'));
  return askAuthenticator(async () => (await loadWebAuthn()).startAuthentication({ optionsJSON: options }));
}

/** The browser's error; it does not distinguish a cancelled dialog from a device without a passkey. */
async function askAuthenticator<T>(ask: () => Promise<T>): Promise<T> {
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
