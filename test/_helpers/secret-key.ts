import type { Actor } from '../../src/domain/actor.ts';

/** The secret key of a shop, for what is made without a server. */
export const SECRET_KEY: Actor = { kind: 'secret', id: 'shop', role: null };
