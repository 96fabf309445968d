import { html } from '../html.ts';
import { requestSamples } from '../samples/tabs.ts';
import { call, step, type Guide } from './guide.ts';

export const REFUNDS: Guide = {
  id: 'guide-refunds',
  title: 'Give money back',
  lead: 'A payment names no address to return it to: the sender may be an exchange. Ask the payer, never reply to where it came from.',
  body: (baseUrl) =>
    html`${step(
      'To an address the payer gave you',
      html`<p>
          ${call('POST /payment/refund')} sends confirmed money from the wallet of the shop, in a coin the
          payment was paid in. Without an <code>amount</code> all that is left goes back and the network fee
          comes out of it; with one the payer gets exactly that, and the fee comes on top. Never more than was
          received leaves by refunds, however often you ask.
        </p>
        <p>
          With <code>currency</code> the amount is in the currency of the payment; <code>rate</code> says
          whether at the rate of the receipt (<code>received</code>) or at that of now (<code>current</code>).
          It pays to any address, so a restricted key needs <code>wallet:send</code> as well: better let a
          person do it in the dashboard.
        </p>`,
      requestSamples({
        method: 'POST',
        url: `${baseUrl}/payment/refund`,
        credential: 'SECRET_KEY',
        headers: { 'Idempotency-Key': 'refund-order-1001' },
        body: {
          paymentId: 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE',
          destination: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
          amount: '10.00',
          currency: 'USD',
        },
      }),
    )}
    ${step(
      'By a link: the payer names the address',
      html`<p>
          ${call('POST /payment/refund-link')} makes a page for the payer; send <code>data.url</code> to
          nobody else. The payer chooses among the coins of the payment, gives an address, which is checked,
          and sees what will arrive. A link is claimed once. Open links reserve nothing, and expire after 30
          days unless you say otherwise.
        </p>
        <p>
          With <code>approval</code> a claim waits for ${call('POST /payment/refund-link/approve')}, which
          names its <code>claimId</code>; until it is sent, ${call('POST /payment/refund-link/cancel')} ends
          it. The scope <code>refunds:write</code> is enough to make links, so a shop needs no key that can
          send.
        </p>`,
      requestSamples({
        method: 'POST',
        url: `${baseUrl}/payment/refund-link`,
        credential: 'RESTRICTED_KEY',
        body: {
          paymentId: 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE',
          amount: '10.00',
          currency: 'USD',
          reason: 'Out of stock',
        },
      }),
    )}
    ${step(
      'Follow it',
      html`<p>
        The answer has <code>data.refund</code> with <code>txHash</code>; <code>refunds</code> of the payment
        lists them all. <code>payment.refunded</code> comes when the network took the last of it,
        <code>payment.refund_failed</code> if it will not happen after all: then it can be made again. When
        you gave the money back some other way, say so by ${call('POST /payment/resolve')} with
        <code>refunded</code>.
      </p>`,
    )}`,
};
