import { html } from '../html.ts';
import { requestSamples } from '../samples/tabs.ts';
import { call, step, type Guide } from './guide.ts';

export const LIVE: Guide = {
  id: 'guide-live',
  title: 'Go live',
  lead: 'The same API, the same keys. What changes is the network behind it, and that mistakes cost money.',
  body: (baseUrl) =>
    html`${step(
      'Before',
      html`<ol>
        <li>The server runs on a network with your nodes: <a href="/readyz">/readyz</a> says ready.</li>
        <li>The seed words are on paper (<code>tillctl seed show</code>), and a backup was restored once.</li>
        <li>The public address is <code>https</code>; each user of the dashboard has a second factor.</li>
        <li>
          The domain is verified: ${call('POST /merchant/verify-domain')}, then
          ${call('POST /merchant/verify-domain/check')}.
        </li>
        <li>
          Your shop passed the <a href="#guide-sandbox">scenarios</a>, and checks <code>sandbox</code> of
          every event.
        </li>
        <li>Rates answer: ${call('GET /rates')} has a rate for each coin in your currency.</li>
      </ol>`,
      requestSamples({ method: 'GET', url: `${baseUrl}/rates?currency=USD`, credential: 'PUBLIC_KEY' }),
    )}
    ${step(
      'Switch',
      html`<p>
        ${call('POST /merchant/sandbox')} with <code>sandboxMode</code> false. <code>message</code> names the
        coins that are not ready, and why; ${call('GET /merchant/setup')} shows it beforehand. Payments made
        from then on are for real money; those made before stay in the sandbox. Pay one of your own with a
        small amount, refund it, send the rest to your cold wallet by ${call('POST /merchant/wallet/send')}.
      </p>`,
    )}
    ${step(
      'Afterwards',
      html`<p>
        Watch <code>/readyz</code> and <code>/metrics</code> (on the address of
        <code>TILLD_ADMIN_LISTEN</code>, where it is set); alert rules are in <code>config/alerts.yml</code>.
        Payments wait while a node is away, they do not fail. Look at the dashboard for payments that wait for
        a decision: underpaid, late.
      </p>`,
    )}`,
};
