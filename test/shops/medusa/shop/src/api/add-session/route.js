const { Modules } = require('@medusajs/framework/utils');

/** A payment session beside those that a collection has, as two requests at once leave them. */
exports.POST = async (req, res) => {
  const payments = req.scope.resolve(Modules.PAYMENT);
  const { collectionId, provider } = req.body;
  const { amount, currency_code } = await payments.retrievePaymentCollection(collectionId);
  const given = { provider_id: provider, amount, currency_code, data: {}, context: {} };
  res.json({ session: await payments.createPaymentSession(collectionId, given) });
};
