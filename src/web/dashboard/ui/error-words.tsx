import type { ApiError } from '../api/client.ts';
import { language } from '../i18n/language.ts';
import { t } from '../i18n/t.ts';

/** Translated explanations of API errors; the server's own are in English. */
const MEANINGS: Readonly<Record<string, string>> = {
  UNAUTHORISED: t('You are not signed in.'),
  INVALID_CREDENTIALS: t('Email, password or code is wrong.'),
  SECOND_FACTOR_REQUIRED: t('A code is needed as well.'),
  FORBIDDEN: t('You may not do this.'),
  RATE_LIMITED: t('Too many requests: please wait a moment.'),
  INVALID_CODE: t('The code or link is not valid any more.'),
  DUPLICATE_ENTRY: t('This already exists.'),
  INSUFFICIENT_BALANCE: t('The wallet holds too little for this.'),
  VALIDATION_INVALID: t('Please check what you typed.'),
  INVALID_STATE: t('This is not possible in the present state.'),
  SEND_REJECTED: t('The network refused it, so nothing was sent.'),
  FEE_ABOVE_LIMIT: t('The network fee is above the limit.'),
  WALLET_FROZEN: t('The wallet is frozen: nothing is sent.'),
  REGISTRATION_CLOSED: t('Registration is closed on this server.'),
  EMAIL_UNCONFIRMED: t('Confirm your email address first.'),
  RATE_UNAVAILABLE: t('No price is known now: please try again later.'),
  NODE_UNAVAILABLE: t('The node does not answer: please try again later.'),
  COIN_UNAVAILABLE: t('This coin cannot be used now.'),
  DATABASE_UNAVAILABLE: t('The database cannot be reached: please try again later.'),
  INTERNAL_ERROR: t('Something went wrong on the server.'),
};

/** An API error: its explanation in the chosen language, then the server's message. */
export function ErrorWords({ error: { code, message } }: { error: ApiError }) {
  const meaning = language === 'en' ? undefined : MEANINGS[code];
  if (meaning === undefined) return <>{message}</>;
  return (
    <>
      {meaning}{' '}
      <span lang="en" className="text-xs">
        {message}
      </span>
    </>
  );
}
