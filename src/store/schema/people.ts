import type { Generated, Selectable } from 'kysely';
import type { MemberRole } from '../../domain/roles.ts';

/** Somebody who works for a shop that another user owns. */
export interface MemberRow {
  merchant_id: string;
  user_id: string;
  role: MemberRole;
  created_at: number;
}

/** A mailed invitation; it stays after its end, so that they can be counted. */
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

/** What somebody changed, or tried to. */
export interface AuditTable {
  /** Grows with time. */
  id: Generated<number>;
  at: number;
  /** Null for what concerns an account alone. */
  merchant_id: string | null;
  actor_kind: 'user' | 'secret' | 'restricted' | 'operator';
  /** The user, or the key's merchant or id. */
  actor_id: string;
  /** E-mail address of the user, or name of the key, as it was then. */
  actor_name: string;
  /** Method and path of the route. */
  action: string;
  object_id: string | null;
  /** Address and user agent, sealed: the database need not say where its users sit. */
  client_sealed: string;
  /** `OK`, or the code of the refusal; null while it is under way, and for ever when the process died in it. */
  result: string | null;
}

export type AuditRow = Selectable<AuditTable>;
