import type { OpenApiDocument } from '../openapi/types.ts';
import { codeBlock, html, json, prose, type Html } from './html.ts';
import { RECIPES } from './recipes.ts';
import { codeInLanguages } from './samples/tabs.ts';

/** The events, their request, and its verification. */
export function webhookSection(document: OpenApiDocument): Html {
  const events = Object.entries(document.webhooks).map(
    ([type, { post }]) =>
      html`<tr>
        <td><code>${type}</code></td>
        <td>${prose(post?.description ?? '')}</td>
      </tr>`,
  );
  const completed =
    document.webhooks['payment.completed']?.post?.requestBody?.content['application/json']?.example;
  return html`<section id="webhooks">
    <h2>Webhooks</h2>
    <p class="lead">
      A signed POST to your server whenever something happens to a payment, a send or a domain.
    </p>
    <div class="cols">
      <div>
        <p>
          Events go to the <code>webhookUrl</code> of the payment, else to that of the merchant. The body
          carries the whole payment as it was at that moment. Answer with any 2xx within 15 seconds; anything
          else is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h.
          <code>410</code> stops the deliveries to that address.
        </p>
        <p>
          An event can come twice: drop an <code>id</code> you have seen. The events of one payment come in
          order; <code>sequence</code> counts them.
        </p>
        <h3 id="signatures">Checking the signature</h3>
        <p>
          Every delivery is signed as <b>Standard Webhooks 1.0</b> says, so that any of its libraries can
          check it. By hand it is HMAC-SHA256 over <code>id.timestamp.body</code> with the decoded secret of
          <a href="#getMerchantWebhookSecret"><code>/merchant/webhook/secret</code></a
          >, compared in constant time; and a timestamp within five minutes. For 24 hours after a rotation
          there are two signatures: one match is enough. Use the raw body, not one that was parsed and written
          again.
        </p>
        <h3>Events</h3>
        <div class="scroll">
          <table>
            <tbody>
              ${events}
            </tbody>
          </table>
        </div>
      </div>
      <div class="samples">
        ${codeInLanguages(RECIPES)} ${codeBlock('Body of payment.completed', json(completed))}
      </div>
    </div>
  </section>`;
}
