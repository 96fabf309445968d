import { AppError } from '../../domain/errors.ts';
import { NOTICE_TERMS, SHOP_NOTICES, type ShopNotice } from '../../domain/notices.ts';
import type { Language } from '../../i18n/languages.ts';
import type { Clock } from '../../domain/ports.ts';
import { roleGrants } from '../../domain/roles.ts';
import { findUser } from '../../store/accounts/users.ts';
import {
  noticeChoices,
  noticeLanguage,
  putNoticeChoice,
  putNoticeLanguage,
} from '../../store/notices/notice-choices.ts';
import type { Db } from '../../store/sqlite/database.ts';

import { authorizeMerchant } from '../access/index.ts';
import { wants } from './notice-readers.ts';

export interface NoticeSettingsDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Whether this server can send mails. */
  readonly hasMailServer: boolean;
}

interface At {
  readonly userId: string;
  readonly merchantId: string;
}

/** The notice preferences of a person for a shop. */
export interface NoticeSettings {
  readonly mailServer: boolean;
  readonly email: string;
  readonly isVerified: boolean;
  /** Null: unknown; mails are then in English. */
  readonly language: Language | null;
  readonly testPayments: boolean;
  readonly kinds: readonly {
    readonly kind: ShopNotice;
    readonly enabled: boolean;
    readonly fixed: boolean;
  }[];
}

/** @throws {AppError} MERCHANT_NOT_FOUND */
export async function readNoticeSettings(deps: NoticeSettingsDeps, at: At): Promise<NoticeSettings> {
  const { db } = deps;
  const { role } = await authorizeMerchant(db, at.userId, at.merchantId);
  const user = await findUser(db, at.userId);
  const choices = await noticeChoices(db, at);
  return {
    mailServer: deps.hasMailServer,
    email: user?.email ?? '',
    isVerified: user?.isVerified === true,
    language: await noticeLanguage(db, at.userId),
    testPayments: choices.get('test_payments') ?? false,
    kinds: SHOP_NOTICES.filter((kind) => roleGrants(role, NOTICE_TERMS[kind].scope)).map((kind) => ({
      kind,
      enabled: wants(choices, kind),
      fixed: NOTICE_TERMS[kind].isFixed,
    })),
  };
}

/**
 * Changes the given settings and leaves the others.
 * @throws {AppError} MERCHANT_NOT_FOUND; VALIDATION_INVALID for a kind that cannot be switched off
 */
export async function editNoticeSettings(
  deps: NoticeSettingsDeps,
  at: At,
  change: {
    readonly kinds: Readonly<Partial<Record<ShopNotice, boolean>>>;
    readonly testPayments: boolean | undefined;
    readonly language: Language | undefined;
  },
): Promise<NoticeSettings> {
  await deps.db.transaction(async (tx) => {
    await authorizeMerchant(tx, at.userId, at.merchantId);
    const put = async (kind: ShopNotice | 'test_payments', enabled: boolean): Promise<void> =>
      putNoticeChoice(tx, {
        userId: at.userId,
        merchantId: at.merchantId,
        kind,
        enabled,
        updatedAt: deps.clock.now(),
      });
    for (const kind of SHOP_NOTICES) {
      const enabled = change.kinds[kind];
      if (enabled === undefined) continue;
      if (NOTICE_TERMS[kind].isFixed && !enabled) throw fixed(kind);
      await put(kind, enabled);
    }
    if (change.testPayments !== undefined) await put('test_payments', change.testPayments);
    if (change.language !== undefined) await putNoticeLanguage(tx, at.userId, change.language);
  });
  return readNoticeSettings(deps, at);
}

function fixed(kind: ShopNotice): AppError {
  const message = 'cannot be switched off';
  return new AppError('VALIDATION_INVALID', `kinds.${kind}: ${message}`, {
    details: [{ field: `kinds.${kind}`, code: 'invalid_value', message }],
  });
}
