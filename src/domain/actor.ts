import type { Role } from './roles.ts';

/**
 * The creator of an object of a shop: a user, a restricted key, payment link or counter by its own id, a secret or
 * public key by the id of the shop.
 */
export interface Creator {
  readonly kind: 'user' | 'secret' | 'restricted' | 'public' | 'link' | 'counter';
  readonly id: string;
}

/** The authenticated caller in a shop. */
export interface Actor extends Creator {
  /** The user's role in the shop; null for keys and links. */
  readonly role: Role | null;
}
