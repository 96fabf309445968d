import type { Mode } from '../../domain/coins.ts';
import type { NoticeReason, ShopNotice } from '../../domain/notices.ts';
import type { Language } from '../../i18n/languages.ts';

/** A fact to notify by mail, once. */
export interface NoticeRow {
  /** The reason and the subject, such as `paid pay_…`: each is notified once. */
  key: string;
  reason: NoticeReason;
  /** Empty for notices to the operator. */
  merchantId: string;
  mode: Mode;
  /** The payment, send, endpoint or chain. */
  subject: string;
  /** Values that the text needs besides the subject: {"order":"1001"}. */
  detailsJson: string;
  createdAt: number;
  /** When to notify next; null once that is done. */
  dueAt: number | null;
  /**
   * When it was first notified; null before, and without interested readers. Set from the start in a reminder
   * of a persisting state.
   */
  toldAt: number | null;
}

/** A notice for one person: mailed, or deferred to a summary. */
export interface NoticeMailRow {
  /** Empty for the operator. */
  userId: string;
  /** Key of the notice; with ` reminder` for the second mail. */
  noticeKey: string;
  merchantId: string;
  reason: NoticeReason | 'summary' | 'digest' | 'month_end';
  /** `summarised` also for a digest without an item, or a month without a movement, which is not mailed. */
  state: 'mailed' | 'held' | 'summarised';
  createdAt: number;
}

/** A preference of one person for one shop; the default applies without one. */
export interface NoticeChoiceRow {
  userId: string;
  merchantId: string;
  /** `test_payments`: whether sandbox payments are included. */
  kind: ShopNotice | 'test_payments';
  enabled: boolean;
  updatedAt: number;
}

/** The language of a person's mails. */
export interface NoticeLanguageRow {
  userId: string;
  language: Language;
  /** Chosen for mails, or only the language of the dashboard. */
  source: 'chosen' | 'pages';
}

/**
 * A persisting state, such as a node that does not answer: notified when it has lasted, and when it is over.
 */
export interface NoticeConditionRow {
  /** Reason and subject. */
  key: string;
  /** The condition at its start, for the mail about its end. */
  conditionJson: string;
  since: number;
  /** When it was last notified; null before. */
  toldAt: number | null;
  /** Since when it is over; null while it persists. */
  overSince: number | null;
  /** How often it was notified and returned within a day: each time it must last twice as long. */
  returns: number;
}
