import { AppError, invalidField } from '../../domain/errors.ts';
import { findPaymentLink, updatePaymentLink } from '../../store/catalog/payment-links.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { PaymentLinkRow } from '../../store/schema/payment-links.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { CreateLinkInput, LinkDeps } from './create-link.ts';
import { termColumns } from './link-terms.ts';

/** What is left out stays as it is; the terms are replaced as a whole. */
export interface EditLinkInput extends Partial<Omit<CreateLinkInput, 'merchant' | 'kind'>> {
  readonly merchant: MerchantRow;
  readonly paymentLinkId: string;
}

/** @throws {AppError} PAYMENT_LINK_NOT_FOUND, PRICE_NOT_FOUND, VALIDATION_INVALID (amounts) */
export async function editLink(deps: LinkDeps, input: EditLinkInput): Promise<PaymentLinkRow> {
  const { merchant, terms } = input;
  return deps.db.transaction(async (tx) => {
    const link = await findOwnLink(tx, merchant.id, input.paymentLinkId);
    if (link.kind === 'pos' && terms !== undefined && terms.kind !== 'open') {
      throw invalidField('openAmount', 'is what the counter is for: its amounts are typed');
    }
    return updatePaymentLink(tx, link.id, {
      name: input.name ?? link.name,
      description: input.description === undefined ? link.description : input.description,
      ...(terms === undefined ? {} : await termColumns(tx, merchant.user_id, terms)),
      fields_json: input.fields === undefined ? link.fields_json : JSON.stringify(input.fields),
      success_url: input.successUrl === undefined ? link.success_url : input.successUrl,
      active: (input.active ?? link.active === 1) ? 1 : 0,
      updated_at: deps.clock.now(),
    });
  });
}

/** Payments made by it stay as they are; its page says that it is closed. @throws {AppError} PAYMENT_LINK_NOT_FOUND */
export async function deleteLink(
  deps: LinkDeps,
  input: { readonly merchantId: string; readonly paymentLinkId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const link = await findOwnLink(tx, input.merchantId, input.paymentLinkId);
    const now = deps.clock.now();
    await updatePaymentLink(tx, link.id, { active: 0, deleted_at: now, updated_at: now });
  });
}

async function findOwnLink(tx: Tx, merchantId: string, id: string): Promise<PaymentLinkRow> {
  const link = await findPaymentLink(tx, id);
  if (link?.merchant_id !== merchantId) throw new AppError('PAYMENT_LINK_NOT_FOUND', 'No such payment link');
  return link;
}
