const { ContainerRegistrationKeys } = require('@medusajs/framework/utils');

/** Takes the payment sessions from a collection, whatever their provider says: a request that ended them may have begun before. */
exports.POST = async (req, res) => {
  const database = req.scope.resolve(ContainerRegistrationKeys.PG_CONNECTION);
  const { collectionId } = req.body;
  res.json({ lost: await database('payment_session').where({ payment_collection_id: collectionId }).del() });
};
