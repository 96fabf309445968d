import type { Role } from './roles.ts';

/**
 * Who makes something of a shop: a user, by their id; the secret or the public key, by the id of the shop; a restricted
 * key or a payment link, by its own.
 */
export interface Creator {
  readonly kind: 'user' | 'secret' | 'restricted' | 'public' | 'link';
  readonly id: string;
}

/** Who acts in a shop. */
export interface Actor extends Creator {
  /** What a user is to the shop; null for keys and links. */
  readonly role: Role | null;
}
