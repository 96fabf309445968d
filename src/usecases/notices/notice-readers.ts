import { NOTICE_TERMS, type ShopNotice } from '../../domain/notices.ts';
import type { Language } from '../../i18n/languages.ts';
import { roleGrants, type Role } from '../../domain/roles.ts';
import { findUser } from '../../store/accounts/users.ts';
import { listMembers } from '../../store/merchants/members.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { noticeChoices, noticeLanguage } from '../../store/notices/notice-choices.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** A person who may receive notices about a shop. */
interface NoticeReader {
  readonly userId: string;
  readonly email: string;
  readonly language: Language;
  readonly role: Role;
}

/**
 * The people who want to receive a notice of a shop and may. People without a confirmed address get nothing,
 * because it could belong to another person.
 */
export async function noticeReaders(
  db: Db,
  of: { merchantId: string; kind: ShopNotice; isTest: boolean },
): Promise<NoticeReader[]> {
  const readers: NoticeReader[] = [];
  const { scope } = NOTICE_TERMS[of.kind];
  for (const { userId, role } of await listPeople(db, of.merchantId)) {
    if (!roleGrants(role, scope)) continue;
    const user = await findUser(db, userId);
    if (user === undefined || !user.isVerified) continue;
    const choices = await noticeChoices(db, { userId, merchantId: of.merchantId });
    if (!wants(choices, of.kind) || (of.isTest && choices.get('test_payments') !== true)) continue;
    const language = (await noticeLanguage(db, userId)) ?? 'en';
    readers.push({ userId, email: user.email, language, role });
  }
  return readers;
}

/** Whether a person with these preferences receives such notices. */
export function wants(choices: Awaited<ReturnType<typeof noticeChoices>>, kind: ShopNotice): boolean {
  const { isFixed, byDefault } = NOTICE_TERMS[kind];
  return isFixed || (choices.get(kind) ?? byDefault);
}

/** All people who may read a shop: its owner, and its members unless it is suspended. */
async function listPeople(db: Db, merchantId: string): Promise<{ userId: string; role: Role }[]> {
  const merchant = await findMerchant(db, merchantId);
  if (merchant === undefined) return [];
  const members = merchant.suspendedAt === null ? await listMembers(db, merchantId) : [];
  return [{ userId: merchant.userId, role: 'owner' }, ...members];
}
