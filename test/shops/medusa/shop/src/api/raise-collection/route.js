const { Modules } = require('@medusajs/framework/utils');

/** Raises the amount of a payment collection, as Medusa leaves it when it undoes a change of the cart whose session it cannot delete. */
exports.POST = async (req, res) => {
  const { collectionId, amount } = req.body;
  res.json({
    collection: await req.scope.resolve(Modules.PAYMENT).updatePaymentCollections(collectionId, { amount }),
  });
};
