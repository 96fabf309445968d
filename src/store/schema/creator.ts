import type { Creator } from '../../domain/actor.ts';

/** Who made a row; both null for what is older than these columns and in no audit log. */
export interface CreatorColumns {
  creator_kind: Creator['kind'] | null;
  creator_id: string | null;
}
