import type { Generated, Selectable } from 'kysely';
import type { MemberRole } from '../../domain/roles.ts';

/** A member of a shop that another user owns. */
export interface MemberRow {
  merchant_id: string;
  user_id: string;
  role: MemberRole;
  created_at: number;
}

/** A mailed invitation; it is kept after its end for the rate limit. */
export interface InvitationRow {
  id: string;
  merchant_id: string;
  email: string;
  email_key: string;
  role: MemberRole;
  /** SHA-256 of the token; the token itself is only in the link. */
  token_hash: string;
  created_at: number;
  expires_at: number;
  /** When it was accepted, withdrawn or replaced. */
  ended_at: number | null;
}

/** A change, or an attempted one. */
export interface AuditTable {
  /** Ascends with time. */
  id: Generated<number>;
  at: number;
  /** Null for entries about an account alone. */
  merchant_id: string | null;
  actor_kind: 'user' | 'secret' | 'restricted' | 'operator';
  /** The user, or the key's merchant or id. */
  actor_id: string;
  /** Email address of the user, or name of the key, at that time. */
  actor_name: string;
  /** Method and path of the route. */
  action: string;
  object_id: string | null;
  /** Address and user agent, sealed, because the database need not reveal the locations of its users. */
  client_sealed: string;
  /**
   * `OK`, or the code of the rejection; null while it is in progress, and for ever when the process died
   * during it.
   */
  result: string | null;
}

export type AuditRow = Selectable<AuditTable>;
