import type { Actor } from '../../domain/actor.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { assertMayChange, locksPrice } from '../../domain/origin.ts';
import { findOrigin } from '../../store/creators.ts';
import { findPaymentLink, updatePaymentLink } from '../../store/catalog/payment-links.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { PaymentLinkRow } from '../../store/schema/payment-links.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { CreateLinkInput, LinkDeps } from './create-link.ts';
import { termColumns, type TermColumns } from './link-terms.ts';

/** Omitted fields stay unchanged; the terms are replaced as a whole. */
export interface EditLinkInput extends Partial<Omit<CreateLinkInput, 'merchant' | 'actor' | 'kind'>> {
  readonly merchant: MerchantRow;
  readonly actor: Actor;
  readonly paymentLinkId: string;
}

/**
 * @throws {AppError} PAYMENT_LINK_NOT_FOUND, PRICE_NOT_FOUND, VALIDATION_INVALID (amounts), FORBIDDEN for
 * fields that a clerk may not change
 */
export async function editLink(deps: LinkDeps, input: EditLinkInput): Promise<PaymentLinkRow> {
  const { merchant, actor, terms } = input;
  return deps.db.transaction(async (tx) => {
    const link = await findOwnLink(tx, merchant.id, input.paymentLinkId);
    if (link.kind === 'pos' && terms !== undefined && terms.kind !== 'open') {
      throw invalidField('openAmount', 'belongs to the counter, whose amounts are typed');
    }
    const columns = terms === undefined ? {} : await termColumns(tx, input, terms);
    const isUrlChanged = input.successUrl !== undefined && input.successUrl !== link.successUrl;
    assertMayChange(actor, merchant.userId, findOrigin(link), {
      isPriceChanged: differs(link, columns),
      urls: isUrlChanged ? ['successUrl'] : [],
    });
    return updatePaymentLink(tx, link.id, {
      name: input.name ?? link.name,
      description: input.description === undefined ? link.description : input.description,
      ...columns,
      priceLocked: differs(link, columns) ? priceLock(input, columns) : link.priceLocked,
      fieldsJson: input.fields === undefined ? link.fieldsJson : JSON.stringify(input.fields),
      successUrl: input.successUrl === undefined ? link.successUrl : input.successUrl,
      active: input.active ?? link.active,
      updatedAt: deps.clock.now(),
    });
  });
}

/** Whether the price of the link would change; without columns it does not. */
function differs(link: PaymentLinkRow, columns: Partial<TermColumns>): boolean {
  return (Object.keys(columns) as (keyof TermColumns)[]).some((name) => columns[name] !== link[name]);
}

/** Whether clerks may no longer change its price. */
function priceLock({ actor, merchant }: EditLinkInput, columns: Partial<TermColumns>): boolean {
  return locksPrice(actor, merchant.userId, typeof columns.priceId === 'string');
}

/**
 * Its payments stay unchanged; its page says that it is closed.
 * @throws {AppError} PAYMENT_LINK_NOT_FOUND, FORBIDDEN for a clerk who did not create it
 */
export async function deleteLink(
  deps: LinkDeps,
  input: { readonly merchant: MerchantRow; readonly actor: Actor; readonly paymentLinkId: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { merchant, actor } = input;
    const link = await findOwnLink(tx, merchant.id, input.paymentLinkId);
    assertMayChange(actor, merchant.userId, findOrigin(link), { isPriceChanged: false, urls: [] });
    const now = deps.clock.now();
    await updatePaymentLink(tx, link.id, { active: false, deletedAt: now, updatedAt: now });
  });
}

async function findOwnLink(tx: Tx, merchantId: string, id: string): Promise<PaymentLinkRow> {
  const link = await findPaymentLink(tx, id);
  if (link?.merchantId !== merchantId) throw new AppError('PAYMENT_LINK_NOT_FOUND', 'No such payment link');
  return link;
}
