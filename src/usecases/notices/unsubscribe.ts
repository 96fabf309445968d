import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { SecretBox } from '../../domain/keys.ts';
import { SHOP_NOTICES, type ShopNotice } from '../../domain/notices.ts';
import type { Clock } from '../../domain/ports.ts';
import { findUser } from '../../store/accounts/users.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { putNoticeChoice } from '../../store/notices/notice-choices.ts';
import type { Db } from '../../store/sqlite/database.ts';

const PURPOSE = 'notices-off';
const TOKEN_MAX = 1_000;
const token = z.tuple([z.literal(PURPOSE), z.string(), z.string(), z.enum(SHOP_NOTICES)]);

interface Subscription {
  readonly userId: string;
  readonly merchantId: string;
  readonly kind: ShopNotice;
}

/** The address that unsubscribes one person from one kind of notice of one shop; it has no other effect. */
export function unsubscribeUrl(
  deps: { readonly baseUrl: string; readonly secretBox: SecretBox },
  { userId, merchantId, kind }: Subscription,
): string {
  const sealed = deps.secretBox.seal(JSON.stringify([PURPOSE, userId, merchantId, kind]));
  return `${deps.baseUrl}/notices/off?token=${encodeURIComponent(sealed)}`;
}

/**
 * The subscription that a token of such an address ends. @throws {AppError} VALIDATION_INVALID for an invalid
 * token.
 */
export async function readSubscription(
  deps: { readonly db: Db; readonly secretBox: SecretBox },
  text: string,
): Promise<Subscription & { readonly shop: string }> {
  const subscription = openSubscription(deps.secretBox, text);
  const user = await findUser(deps.db, subscription.userId);
  const merchant = await findMerchant(deps.db, subscription.merchantId);
  if (user === undefined || merchant === undefined) throw invalid();
  return { ...subscription, shop: merchant.name };
}

/**
 * Ends the subscription that a token names; a repeat changes nothing. @throws {AppError} like
 * readSubscription.
 */
export async function unsubscribe(
  deps: { readonly db: Db; readonly clock: Clock; readonly secretBox: SecretBox },
  text: string,
): Promise<void> {
  const { userId, merchantId, kind } = await readSubscription(deps, text);
  await deps.db.transaction(async (tx) =>
    putNoticeChoice(tx, {
      userId,
      merchantId,
      kind,
      enabled: false,
      updatedAt: deps.clock.now(),
    }),
  );
}

function openSubscription(secretBox: SecretBox, text: string): Subscription {
  try {
    if (text.length > TOKEN_MAX) throw new RangeError('the token exceeds the maximum length');
    const [, userId, merchantId, kind] = token.parse(JSON.parse(secretBox.open(text)));
    return { userId, merchantId, kind };
  } catch (error) {
    throw invalid(error);
  }
}

function invalid(cause?: unknown): AppError {
  return new AppError('VALIDATION_INVALID', 'token: this link is not valid', { cause });
}
