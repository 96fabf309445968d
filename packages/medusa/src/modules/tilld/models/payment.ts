import { model } from '@medusajs/framework/utils';

/** What the shop knows of a payment at tilld. It outlives the payment session, which Medusa deletes with every change of the cart. */
export const Payment = model
  .define('tilld_payment', {
    /** That of tilld. */
    id: model.text().primaryKey(),
    session_id: model.text(),
    cart_id: model.text().nullable(),
    order_id: model.text().nullable(),
    amount: model.text(),
    currency: model.text(),
    checkout_url: model.text(),
    /** Where the storefront wants its customer, unless the options say. */
    success_url: model.text().nullable(),
    return_url: model.text().nullable(),
    /** The shop deleted its customer, whom tilld has not erased yet. */
    to_erase: model.boolean().default(false),
    /** In the words of the SDK's `shopState`. */
    state: model.text().default('waiting'),
    exception: model.text().nullable(),
    /** Whether Medusa has the money in its books. */
    captured: model.boolean().default(false),
    /** It could not be applied and must be looked at again. */
    pending_look: model.boolean().default(false),
  })
  .indexes([{ on: ['session_id'] }, { on: ['order_id'] }, { on: ['cart_id'] }]);
