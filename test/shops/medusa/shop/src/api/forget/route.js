/** Loses what the plugin knows, but for the connection. */
exports.POST = async (req, res) => {
  const tilld = req.scope.resolve('tilld');
  for (const kind of ['Payments', 'Notes', 'Refunds']) {
    const rows = await tilld[`list${kind}`]({}, { take: null });
    await tilld[`delete${kind}`](rows.map(({ id }) => id));
  }
  await tilld.advance(0);
  res.json({});
};
