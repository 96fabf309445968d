const { deletePaymentSessionsWorkflow } = require('@medusajs/medusa/core-flows');
const { ContainerRegistrationKeys } = require('@medusajs/framework/utils');

/** Medusa has no clean-up of its own. Shops write one like this: carts without an order lose their payment sessions. */
exports.POST = async (req, res) => {
  const query = req.scope.resolve(ContainerRegistrationKeys.QUERY);
  const { data: carts } = await query.graph({
    entity: 'cart',
    fields: ['id', 'payment_collection.payment_sessions.id'],
    filters: { completed_at: null },
  });
  const failed = [];
  for (const cart of carts) {
    const ids = (cart.payment_collection?.payment_sessions ?? []).map(({ id }) => id);
    if (ids.length === 0) continue;
    try {
      await deletePaymentSessionsWorkflow(req.scope).run({ input: { ids } });
    } catch (error) {
      failed.push({ cart: cart.id, message: error.message });
    }
  }
  res.json({ failed });
};
