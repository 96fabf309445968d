import { html } from '../html.ts';
import { requestSamples } from '../samples/tabs.ts';
import { call, step, type Guide } from './guide.ts';

export const SHOP: Guide = {
  id: 'guide-shop',
  title: 'Add tilld to your shop',
  lead: 'Make a payment when the customer orders, send them to its checkout page, deliver when the webhook says completed.',
  body: (baseUrl) =>
    html`${step(
      'A key of its own',
      html`<p>
        Give the shop a <a href="#scopes">restricted key</a> instead of the secret key: create it in the
        dashboard under API keys, or by ${call('POST /merchant/keys/create')}. <code>payments:write</code>,
        <code>customers:write</code> and <code>events:read</code> are enough to take payments. Keep it in the
        environment of the server, never in a page.
      </p>`,
    )}
    ${step(
      'A payment for each order',
      html`<p>
          ${call('POST /payment/create')} when the order is placed, on your server. The
          <code>orderId</code> is yours and unique: the same request for the same order answers
          <code>200</code> with the payment that is there, so a retry never charges twice.
          <code>customerId</code> comes from ${call('POST /merchant/customer/create')}; keep it with your
          customer.
        </p>
        <p>
          Store <code>data.id</code> with the order and redirect the customer to
          <code>data.checkoutUrl</code>.
        </p>`,
      requestSamples({
        method: 'POST',
        url: `${baseUrl}/payment/create`,
        credential: 'RESTRICTED_KEY',
        body: {
          amount: '49.90',
          currency: 'USD',
          customerId: 'cus_5LrRyo2k8hQmXv4TzN0aWb7C',
          orderId: 'order-1001',
          successUrl: 'https://shop.example/thanks',
          returnUrl: 'https://shop.example/cart',
        },
      }),
    )}
    ${step(
      'Deliver on completed, on nothing else',
      html`<p>
          <code>successUrl</code> only shows a page: anybody can open it. Money is there when a
          <a href="#guide-webhooks">signed webhook</a> says <code>payment.completed</code>, or when
          ${call('GET /payment/get')} answers <code>status</code> <code>completed</code>. Look at
          <code>sandbox</code>, too: deliver nothing for play money.
        </p>
        <p>
          <code>confirming</code> is money on its way: show it, and wait. <code>payment.reversed</code> after
          completion is rare; hold the order if it has not left yet.
        </p>`,
      requestSamples({
        method: 'GET',
        url: `${baseUrl}/payment/get?paymentId=pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE`,
        credential: 'RESTRICTED_KEY',
      }),
    )}`,
};
