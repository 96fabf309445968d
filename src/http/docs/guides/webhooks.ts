import { html } from '../html.ts';
import { requestSamples } from '../samples/tabs.ts';
import { call, step, type Guide } from './guide.ts';

export const WEBHOOKS: Guide = {
  id: 'guide-webhooks',
  title: 'Receive webhooks',
  lead: 'Take the signed POST, check it, store it, answer 2xx at once. And read what was missed.',
  body: (baseUrl) =>
    html`${step(
      'Say where',
      html`<p>
        Set the address once in the settings of the shop, by ${call('PATCH /merchant/edit')}, or per payment
        by its
        <code>webhookUrl</code>. On a live server it is <code>https</code> and public; in the sandbox
        <code>http://127.0.0.1:8080/hook</code> will do.
      </p>`,
      requestSamples({
        method: 'PATCH',
        url: `${baseUrl}/merchant/edit`,
        credential: 'TOKEN',
        body: {
          merchantId: '7b1d9e0c-52a4-4b7e-8f3a-2d5c9a6e1b40',
          webhookUrl: 'https://shop.example/webhooks/tilld',
        },
      }),
    )}
    ${step(
      'Get the secret',
      html`<p>
        ${call('GET /merchant/webhook/secret')} answers it (<code>whsec_&hellip;</code>). Check every request
        <a href="#signatures">by its signature</a>, over the raw body, before you believe a word of it.
      </p>`,
      requestSamples({ method: 'GET', url: `${baseUrl}/merchant/webhook/secret`, credential: 'SECRET_KEY' }),
    )}
    ${step(
      'Answer first, work afterwards',
      html`<p>
        Store the event under its <code>id</code> and answer <code>204</code> within 15 seconds. The same
        event can come twice: an <code>id</code> you have is done. Of two events of one payment the one with
        the higher <code>sequence</code> is newer. <code>payment.superseded</code> says that another payment
        of the order, which its payer had renewed, counts the money: follow <code>supersededBy</code>.
      </p>`,
    )}
    ${step(
      'Try it',
      html`<p>
        ${call('POST /merchant/webhook/test')} sends one without any payment.
        ${call('GET /merchant/webhook/deliveries')} shows what became of each event,
        ${call('GET /merchant/webhook-logs')} every attempt with what your server answered;
        ${call('POST /merchant/webhook/redeliver')} sends one of them again.
      </p>`,
      requestSamples({ method: 'POST', url: `${baseUrl}/merchant/webhook/test`, credential: 'SECRET_KEY' }),
    )}
    ${step(
      'Catch up after an outage',
      html`<p>
        ${call('GET /merchant/events')} has all events in order. Keep <code>data.nextAfter</code> and ask with
        it as <code>after</code>; with <code>wait</code> the request is held until something happens. A shop
        that does only this needs no webhooks at all.
      </p>`,
      requestSamples({
        method: 'GET',
        url: `${baseUrl}/merchant/events?after=0&limit=100&wait=0`,
        credential: 'SECRET_KEY',
      }),
    )}`,
};
