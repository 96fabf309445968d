import { randomBytes } from 'node:crypto';
import type { Actor } from '../../domain/actor.ts';
import { assertMaySetUrls, locksPrice } from '../../domain/origin.ts';
import type { LinkKind } from '../../domain/payment-link.ts';
import type { Clock } from '../../domain/ports.ts';
import { creatorColumns } from '../../store/creators.ts';
import { insertPaymentLink } from '../../store/catalog/payment-links.ts';
import type { AskedField, PaymentLinkRow } from '../../store/schema/payment-links.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { newId } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { termColumns, type LinkTerms } from './link-terms.ts';

export interface LinkDeps {
  readonly db: Db;
  readonly clock: Clock;
}

export interface CreateLinkInput {
  readonly merchant: MerchantRow;
  readonly actor: Actor;
  readonly kind: LinkKind;
  readonly name: string;
  readonly description: string | null;
  readonly terms: LinkTerms;
  readonly fields: readonly AskedField[];
  readonly successUrl: string | null;
  readonly active: boolean;
}

/** Letters and digits that are not confused with each other, 5 bits each. */
const SLUG_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
/** 65 bits. */
const SLUG_LENGTH = 13;

/**
 * @throws {AppError} PRICE_NOT_FOUND, VALIDATION_INVALID (amounts), FORBIDDEN for fields that a clerk may not
 * set
 */
export async function createLink(
  deps: LinkDeps,
  input: CreateLinkInput,
  storeResult: StoreResult<PaymentLinkRow> = storeNoResult,
): Promise<PaymentLinkRow> {
  const { merchant, actor, terms } = input;
  assertMaySetUrls(actor, input.successUrl === null ? [] : ['successUrl']);
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const row: PaymentLinkRow = {
      id: newId('plink_'),
      merchantId: merchant.id,
      slug: newSlug(),
      kind: input.kind,
      name: input.name,
      description: input.description,
      ...(await termColumns(tx, input, terms)),
      fieldsJson: JSON.stringify(input.fields),
      successUrl: input.successUrl,
      ...creatorColumns(actor),
      priceLocked: locksPrice(actor, merchant.userId, terms.kind === 'price'),
      active: input.active,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    await insertPaymentLink(tx, row);
    await storeResult(tx, row);
    return row;
  });
}

/** 32 letters: the lowest five bits of a byte select one, all equally likely. */
export function newSlug(length = SLUG_LENGTH): string {
  return [...randomBytes(length)].map((byte) => SLUG_LETTERS.charAt(byte & 31)).join('');
}
