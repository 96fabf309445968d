const { Modules } = require('@medusajs/framework/utils');

/** Another price for a payment session that stays, as shops of their own making do it. */
exports.POST = async (req, res) => {
  const payments = req.scope.resolve(Modules.PAYMENT);
  const { id, amount } = req.body;
  const { data, currency_code } = await payments.retrievePaymentSession(id);
  res.json({ session: await payments.updatePaymentSession({ id, data, currency_code, amount }) });
};
