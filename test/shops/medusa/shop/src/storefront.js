const { readFileSync } = require('node:fs');
const path = require('node:path');

/** The storefront: a page that buys a mug, and pays for it by tilld's /pay.js. */
exports.storefront = (req, res) => {
  const page = readFileSync(path.join(process.cwd(), 'src/storefront.html'), 'utf8');
  res.type('html').send(page.replaceAll('{tilld}', process.env.TILLD_URL));
};
