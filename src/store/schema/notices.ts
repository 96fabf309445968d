import type { Mode } from '../../domain/coins.ts';
import type { NoticeReason, ShopNotice } from '../../domain/notices.ts';
import type { Language } from '../../i18n/languages.ts';
import type { Flag } from './flag.ts';

/** Something to tell people by mail, once. */
export interface NoticeRow {
  /** The reason and what it is about, such as `paid pay_…`: nothing is told twice. */
  key: string;
  reason: NoticeReason;
  /** Empty for the operator's. */
  merchant_id: string;
  mode: Mode;
  /** The payment, send, endpoint or chain. */
  subject: string;
  /** What the text needs beside the subject: {"order":"1001"}. */
  details_json: string;
  created_at: number;
  /** When to tell it next; null once that is done. */
  due_at: number | null;
  /** When it was first told; null before, and where nobody wanted it. Set from the start in a reminder of a state that lasts. */
  told_at: number | null;
}

/** A notice for one person: mailed, or held back for a summary. */
export interface NoticeMailRow {
  /** Empty for the operator. */
  user_id: string;
  /** Of the notice; with ` reminder` the second mail. */
  notice_key: string;
  merchant_id: string;
  reason: NoticeReason | 'summary';
  state: 'mailed' | 'held' | 'summarised';
  created_at: number;
}

/** A choice of one person about one shop; without one the default holds. */
export interface NoticeChoiceRow {
  user_id: string;
  merchant_id: string;
  /** `test_payments`: whether those of the sandbox count, too. */
  kind: ShopNotice | 'test_payments';
  enabled: Flag;
  updated_at: number;
}

/** The language a person wants mails in. */
export interface NoticeLanguageRow {
  user_id: string;
  language: Language;
  /** Chosen for mails, or only what the dashboard is in. */
  source: 'chosen' | 'pages';
}

/** A state that lasts, such as a node that does not answer: told when it has lasted, and when it is over. */
export interface NoticeConditionRow {
  /** Reason and subject. */
  key: string;
  /** What it was when it began, for the mail about its end. */
  condition_json: string;
  since: number;
  /** When it was told last; null before. */
  told_at: number | null;
  /** Since when it is over; null while it lasts. */
  over_since: number | null;
  /** How often it was told and came back within a day: each time it has to last twice as long. */
  returns: number;
}
