import { html, type Html } from '../html.ts';
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
          Give the shop a <a href="#scopes">restricted key</a> instead of the secret key.
          <code>payments:write</code>, <code>customers:write</code>, <code>refunds:write</code>,
          <code>events:read</code> and <code>webhooks:write</code> are all that a shop needs; none of them can
          empty the wallet. Keep it in the environment of the server, never in a page.
        </p>
        <p>
          A plugin asks for its key by a button: it opens <code>/connect</code> here with <code>name</code>,
          <code>scopes</code>, <code>redirectUrl</code>, <code>state</code> and
          <code>codeChallenge</code> (PKCE, S256). The owner agrees, comes back with a <code>code</code>, and
          ${call('POST /connect/token')} answers the key: nobody copies a secret. By hand it is made in the
          dashboard under API keys, or by ${call('POST /merchant/keys/create')}.
        </p>`,
    )}
    ${step(
      'A payment for each order',
      html`<p>
          ${call('POST /payment/create')} when the order is placed, on your server. The
          <code>orderId</code> is yours and unique: the same request for the same order answers
          <code>200</code> with the payment that is there, so a retry never charges twice. The
          <code>customer</code> is found or made by the e-mail address; <code>{}</code> is an anonymous one.
        </p>
        <p>
          Store <code>data.id</code> with the order and redirect the customer to
          <code>data.checkoutUrl</code>. When the cart changes afterwards, ${call('PATCH /payment/update')}
          asks for the new amount at the same addresses, as long as no money was seen.
        </p>`,
      requestSamples({
        method: 'POST',
        url: `${baseUrl}/payment/create`,
        credential: 'RESTRICTED_KEY',
        body: {
          amount: '49.90',
          currency: 'USD',
          customer: { email: 'ada@example.com' },
          orderId: 'order-1001',
          lifetimeMinutes: 60,
          lines: [{ name: 'Earl Grey, 100 g', quantity: 2, amount: '49.90' }],
          successUrl: 'https://shop.example/order/{orderId}',
          returnUrl: 'https://shop.example/order/{orderId}',
        },
      }),
    )}
    ${oneWayBack()}
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
        </p>
        <p>
          A shop that missed webhooks asks ${call('GET /merchant/events')} with <code>after</code>, the last
          <code>seq</code> that it worked on, and is right again from there. Before it cancels an unpaid order
          it asks for the payment: money may be on its way.
        </p>`,
      requestSamples({
        method: 'GET',
        url: `${baseUrl}/payment/get?paymentId=pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE`,
        credential: 'RESTRICTED_KEY',
      }),
    )}`,
};

function oneWayBack(): Html {
  return step(
    'One way back',
    html`<p>
        Give one address for both <code>successUrl</code> and <code>returnUrl</code>, with the placeholders
        <code>{paymentId}</code>, <code>{orderId}</code> or <code>{status}</code>. Your page there asks
        ${call('GET /payment/get')} and decides: the order was received, the rest is to be paid at
        <code>checkoutUrl</code>, or the customer goes back to the cart.
      </p>
      <p>
        Bitcoin takes some twenty minutes to settle. A customer who comes back before that has paid and must
        not find a full cart: the checkout leads nobody to a <code>returnUrl</code> without placeholders,
        other than <code>successUrl</code>, once it has seen money.
      </p>`,
  );
}
