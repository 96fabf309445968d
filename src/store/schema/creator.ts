import type { Creator } from '../../domain/actor.ts';

/** Creator of a row; both null for rows older than these columns that are in no audit log. */
export interface CreatorColumns {
  creator_kind: Creator['kind'] | null;
  creator_id: string | null;
}
