/** Emails about events that need a shopkeeper: conditions, preferences of each reader, digests. */
export { findConditions } from './find-conditions.ts';
export { storeConditionNotices } from './store-condition-notices.ts';
export { storeEventNotices } from './store-event-notices.ts';
export { editNoticeSettings, type NoticeSettingsDeps, readNoticeSettings } from './notice-settings.ts';
export { noticeTexts } from './notice-text.ts';
export { storePageLanguage, readLanguage } from './page-language.ts';
export { sendMonthEnds } from './send-month-ends.ts';
export { sendDigests } from './send-digests.ts';
export { sendNotices } from './send-notices.ts';
export { summariseNotices } from './summarise-notices.ts';
export { readSubscription, unsubscribe } from './unsubscribe.ts';
