import type { Generated, Selectable } from 'kysely';
import type { MemberRole } from '../../domain/roles.ts';

/** A member of a shop that another user owns. */
export interface MemberRow {
  merchantId: string;
  userId: string;
  role: MemberRole;
  createdAt: number;
}

/** A mailed invitation; it is kept after its end for the rate limit. */
export interface InvitationRow {
  id: string;
  merchantId: string;
  email: string;
  emailKey: string;
  role: MemberRole;
  /** SHA-256 of the token; the token itself is only in the link. */
  tokenHash: string;
  createdAt: number;
  expiresAt: number;
  /** When it was accepted, withdrawn or replaced. */
  endedAt: number | null;
}

/** A change, or an attempted one. */
export interface AuditTable {
  /** Ascends with time. */
  id: Generated<number>;
  at: number;
  /** Null for entries about an account alone. */
  merchantId: string | null;
  actorKind: 'user' | 'secret' | 'restricted' | 'counter' | 'operator' | 'daemon';
  /** The user, or the key's merchant or id. */
  actorId: string;
  /** Email address of the user, or name of the key, at that time. */
  actorName: string;
  /** Method and path of the route. */
  action: string;
  objectId: string | null;
  /** Address and user agent, sealed, because the database need not reveal the locations of its users. */
  clientSealed: string;
  /**
   * `OK`, or the code of the rejection; null while it is in progress, and for ever when the process died
   * during it.
   */
  result: string | null;
}

export type AuditRow = Selectable<AuditTable>;
