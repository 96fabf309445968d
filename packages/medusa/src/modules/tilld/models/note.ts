import { model } from '@medusajs/framework/utils';

/** Something the shopkeeper should read beside an order, in his language. */
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
