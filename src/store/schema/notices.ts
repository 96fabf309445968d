import type { Mode } from '../../domain/coins.ts';
import type { NoticeReason, ShopNotice } from '../../domain/notices.ts';
import type { Language } from '../../i18n/languages.ts';
import type { Flag } from './flag.ts';

/** A fact to notify by mail, once. */
export interface NoticeRow {
  /** The reason and the subject, such as `paid pay_…`: each is notified once. */
  key: string;
  reason: NoticeReason;
  /** Empty for notices to the operator. */
  merchant_id: string;
  mode: Mode;
  /** The payment, send, endpoint or chain. */
  subject: string;
  /** Values that the text needs besides the subject: {"order":"1001"}. */
  details_json: string;
  created_at: number;
  /** When to notify next; null once that is done. */
  due_at: number | null;
  /**
   * When it was first notified; null before, and without interested readers. Set from the start in a reminder
   * of a persisting state.
   */
  told_at: number | null;
}

/** A notice for one person: mailed, or deferred to a summary. */
export interface NoticeMailRow {
  /** Empty for the operator. */
  user_id: string;
  /** Key of the notice; with ` reminder` for the second mail. */
  notice_key: string;
  merchant_id: string;
  reason: NoticeReason | 'summary';
  state: 'mailed' | 'held' | 'summarised';
  created_at: number;
}

/** A preference of one person for one shop; the default applies without one. */
export interface NoticeChoiceRow {
  user_id: string;
  merchant_id: string;
  /** `test_payments`: whether sandbox payments are included. */
  kind: ShopNotice | 'test_payments';
  enabled: Flag;
  updated_at: number;
}

/** The language of a person's mails. */
export interface NoticeLanguageRow {
  user_id: string;
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
  condition_json: string;
  since: number;
  /** When it was last notified; null before. */
  told_at: number | null;
  /** Since when it is over; null while it persists. */
  over_since: number | null;
  /** How often it was notified and returned within a day: each time it must last twice as long. */
  returns: number;
}
