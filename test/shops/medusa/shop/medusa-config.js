const { defineConfig } = require('@medusajs/framework/utils');

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    http: {
      storeCors: process.env.STORE_CORS,
      adminCors: process.env.ADMIN_CORS,
      authCors: process.env.AUTH_CORS,
      jwtSecret: process.env.JWT_SECRET,
      cookieSecret: process.env.COOKIE_SECRET,
    },
  },
  admin: { disable: process.env.DISABLE_MEDUSA_ADMIN === 'true' },
  plugins: [
    {
      resolve: '@tilld/medusa-payment',
      options: {
        tilldUrl: process.env.TILLD_URL, // such as https://pay.shop.example
        backendUrl: process.env.BACKEND_URL, // where tilld reaches Medusa, such as https://api.shop.example
        successUrl: `${process.env.STOREFRONT_URL}/order/{orderId}/confirmed`, // the storefront's order confirmation
        returnUrl: `${process.env.STOREFRONT_URL}/checkout`, // the storefront's cart or checkout
        shopName: 'Corner shop',
        allowSandbox: process.env.TILLD_TEST_MODE === 'true', // simulated money pays orders: for trying things out
      },
    },
  ],
  modules: [
    {
      resolve: '@medusajs/medusa/payment',
      dependencies: ['tilld', 'query'],
      options: {
        providers: [{ resolve: '@tilld/medusa-payment/providers/tilld', id: 'tilld' }],
      },
    },
  ],
});
