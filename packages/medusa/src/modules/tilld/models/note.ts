import { model } from '@medusajs/framework/utils';

/** A note for the shopkeeper next to an order, in the shopkeeper's language. */
export const Note = model
  .define('tilld_note', {
    id: model.id({ prefix: 'tnote' }).primaryKey(),
    payment_id: model.text(),
    /** The same thing is told once. */
    key: model.text(),
    code: model.text(),
    values: model.json(),
  })
  .indexes([{ on: ['payment_id', 'key'], unique: true }]);
