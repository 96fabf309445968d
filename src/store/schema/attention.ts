import type { Creator } from '../../domain/actor.ts';

/** An item of the list of what waits, dismissed by a person or a key. */
export interface AttentionDismissalRow {
  merchantId: string;
  /** The payment, refund link, send or endpoint, or the name of a fault of the server. */
  itemId: string;
  /** The state in which it was dismissed: in another state the item waits again. */
  mark: string;
  note: string | null;
  actorKind: Creator['kind'];
  actorId: string;
  dismissedAt: number;
}
