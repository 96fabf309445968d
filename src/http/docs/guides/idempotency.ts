import { html } from '../html.ts';
import { requestSamples } from '../samples/tabs.ts';
import { call, step, type Guide } from './guide.ts';

export const IDEMPOTENCY: Guide = {
  id: 'guide-idempotency',
  title: 'Repeat a request safely',
  lead: 'A connection can break after the server acted and before you heard of it. A key of your own makes the second try harmless.',
  body: (baseUrl) =>
    html`${step(
      'One key per intent',
      html`<p>
          Choose the <code>Idempotency-Key</code> before the first try and store it with what you are about to
          do: an order number and a verb are enough. Send the same key and the same body until an answer
          comes. It is done once; repeats get the first answer with <code>Idempotent-Replayed: true</code>.
        </p>
        <p>
          Never make a new key because of a timeout: for ${call('POST /merchant/wallet/send')} and
          ${call('POST /payment/refund')} that is a second transfer. Their keys are kept for ever, all others
          for 24 hours. Keys used in the sandbox are not those of live requests.
        </p>`,
      requestSamples({
        method: 'POST',
        url: `${baseUrl}/merchant/customer/create`,
        credential: 'SECRET_KEY',
        headers: { 'Idempotency-Key': 'shop-customer-4711' },
        body: { email: 'alice@example.com' },
      }),
    )}
    ${step(
      'What the answers mean',
      html`<ul>
        <li>
          No answer, <code>5xx</code> or <code>429</code>: the same again, after a pause
          (<code>Retry-After</code>).
        </li>
        <li>
          <code>409 IDEMPOTENCY_IN_FLIGHT</code>: the first is still at work. The same again in a second.
        </li>
        <li>
          <code>422 IDEMPOTENCY_MISMATCH</code>: this key was used with another body. A mistake in your
          program.
        </li>
        <li>
          Any other <code>4xx</code>: refused, nothing was done. Refusals of sends and refunds are not kept,
          so the same key works once the reason is gone; elsewhere take a new key.
        </li>
      </ul>`,
    )}`,
};
