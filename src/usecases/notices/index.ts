/** Emails about events that need a shopkeeper: conditions, preferences of each reader, digests. */
export { findConditions, type FindConditionsDeps } from './find-conditions.ts';
export { noteConditions } from './note-conditions.ts';
export { noteEvents } from './note-events.ts';
export { editNoticeSettings, type NoticeSettingsDeps, readNoticeSettings } from './notice-settings.ts';
export { noticeTexts } from './notice-text.ts';
export { notePageLanguage, readLanguage } from './page-language.ts';
export { sendNotices } from './send-notices.ts';
export { summariseNotices } from './summarise-notices.ts';
export { readSubscription, unsubscribe } from './unsubscribe.ts';
