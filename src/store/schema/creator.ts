import type { Creator } from '../../domain/actor.ts';

/** Creator of a row; both null for rows older than these columns that are in no audit log. */
export interface CreatorColumns {
  creatorKind: Creator['kind'] | null;
  creatorId: string | null;
}
