exports.GET = require('../../storefront').storefront;
