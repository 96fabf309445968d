import { model } from '@medusajs/framework/utils';

/** The claim link behind a refund of Medusa. */
export const Refund = model
  .define('tilld_refund', {
    /** That of Medusa's refund. */
    id: model.text().primaryKey(),
    payment_id: model.text(),
    link_id: model.text(),
    /** Who has the link can claim the money. */
    sealed_url: model.text(),
    amount: model.text(),
    currency: model.text(),
    status: model.text(),
    /** Whether the network fee is taken from the amount. */
    deduct_fee: model.boolean().default(false),
    /** Counts the links made for it. */
    attempt: model.number().default(1),
  })
  .indexes([{ on: ['payment_id'] }]);
