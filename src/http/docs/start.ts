import { codeBlock, html, type Html } from './html.ts';
import { curl } from './samples/curl.ts';

/** The steps to a first completed payment in the sandbox. */
export function firstPayment(baseUrl: string): Html {
  const post = (path: string, credential: string | null, body: unknown) =>
    curl({ method: 'POST', url: baseUrl + path, credential, body });
  const steps: readonly (readonly [title: string, text: Html, code: string])[] = [
    [
      'Register',
      html`Keep <code>data.token</code> from the answer. It is your user token for 24 hours; afterwards, sign
        in at <a href="#postAuthLogin"><code>/auth/login</code></a
        >.`,
      `${post('/auth/register', null, { email: 'you@example.com', password: 'correct horse battery staple' })}\n\nTOKEN=…  # data.token`,
    ],
    [
      'Open a shop',
      html`The answer shows both API keys, the secret one for the only time. The public key creates payments
      and may live in a web page; the secret key does the rest and stays on your server.`,
      `${post('/merchant/create', 'TOKEN', { name: 'My shop', domain: 'shop.example' })}\n\nPUBLIC_KEY=…  # data.merchant.auth.public\nSECRET_KEY=…  # data.merchant.auth.secret`,
    ],
    [
      'Play in the sandbox',
      html`Simulated coins, no node, no money. On a server without live nodes a shop is in the sandbox
      already.`,
      post('/merchant/sandbox', 'SECRET_KEY', { sandboxMode: true }),
    ],
    [
      'Ask for money',
      html`The <code>customer</code> is found or made by the e-mail address. The answer has an address, an
        amount and a link for a QR code for each coin, and a checkout page to send the customer to. The rate
        is locked until <code>expiresAt</code>.`,
      `${post('/payment/create', 'PUBLIC_KEY', { amount: '49.90', currency: 'USD', customer: { email: 'ada@example.com' }, orderId: 'order-1001' })}\n\nPAYMENT=…  # data.id`,
    ],
    [
      'Pay it yourself',
      html`In the sandbox you play the payer. Try <code>underpay</code>, <code>late</code> or
        <code>double-spend</code> too: your shop should know what to do before real money comes.`,
      post('/sandbox/payment/simulate', 'SECRET_KEY', { paymentId: '$PAYMENT', scenario: 'exact' }).replace(
        '$PAYMENT',
        `'"$PAYMENT"'`,
      ),
    ],
    [
      'See it completed',
      html`Blocks come every two seconds. Poll this, or better let a <a href="#webhooks">webhook</a> tell you.
        Deliver when <code>status</code> is <code>completed</code>.`,
      curl({ method: 'GET', url: `${baseUrl}/payment/get?paymentId=$PAYMENT`, credential: 'SECRET_KEY' }),
    ],
  ];
  const items = steps.map(
    ([title, text, code]) =>
      html`<li>
        <div>
          <h3>${title}</h3>
          <p>${text}</p>
        </div>
        ${codeBlock('Shell', code)}
      </li>`,
  );
  return html`<section id="first-payment">
    <h2>Your first payment</h2>
    <p class="lead">Six requests from nothing to a paid payment. Nothing here costs anything.</p>
    <ol class="steps">
      ${items}
    </ol>
  </section>`;
}
