import { unauthorised } from '../../domain/unauthorised.ts';
import type { Caller } from '../../usecases/accounts/index.ts';
import type { AuthKind } from './route.ts';

type Kind = Caller['kind'];

/** The credentials that each kind of route accepts. */
const ACCEPTED: Readonly<Record<AuthKind, readonly Kind[]>> = {
  none: [],
  jwt: ['user'],
  account: ['user', 'secret', 'restricted'],
  merchant: ['user', 'secret', 'restricted'],
  payer: ['user', 'secret', 'restricted', 'public'],
  counter: ['counter'],
};

/** The same in words. Restricted keys depend on the scope of the route, so they are not listed. */
export const ACCEPTED_TEXTS: Readonly<Record<AuthKind, string>> = {
  none: 'no credential',
  jwt: 'a user token',
  account: 'a user token or a secret key',
  merchant: 'a secret key or a user token',
  payer: 'a public key, a secret key or a user token',
  counter: 'the device of a counter',
};

const KIND_TEXTS: Readonly<Record<Kind, string>> = {
  user: 'A user token',
  secret: 'A secret key',
  restricted: 'A restricted key',
  public: 'A public key',
  counter: 'The device of a counter',
};

export function needsCredential(auth: AuthKind): boolean {
  return ACCEPTED[auth].length > 0;
}

/** @throws {AppError} UNAUTHORISED if the route does not accept this kind of credential. */
export function assertKind(auth: AuthKind, { kind }: Caller): void {
  if (ACCEPTED[auth].includes(kind)) return;
  throw unauthorised('wrong_kind', `${KIND_TEXTS[kind]} is not accepted here: use ${ACCEPTED_TEXTS[auth]}`);
}
