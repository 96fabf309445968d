import { html } from '../html.ts';
import { requestSamples } from '../samples/tabs.ts';
import { call, step, type Guide } from './guide.ts';

const SCENARIOS: readonly (readonly [name: string, does: string, expect: string])[] = [
  ['exact', 'pays what is missing', 'payment.confirming, then payment.completed: deliver once'],
  ['underpay', 'pays half of what is missing', 'payment.underpaid: wait; a second exact completes it'],
  [
    'overpay',
    'pays half the price more',
    'payment.completed and payment.overpaid: deliver, give the rest back',
  ],
  [
    'late',
    'pays after the expiry',
    'payment.expired, then payment.late or payment.completed, by your setting latePayments',
  ],
  [
    'double-spend',
    'pays, then takes the money back',
    'payment.confirming, then payment.reversed: nothing leaves',
  ],
  ['reorg', 'confirms, then the block loses', 'payment.reversed, even after payment.completed'],
  ['confirm', 'mines blocks at once', 'what waits for confirmations gets them'],
];

export const SANDBOX: Guide = {
  id: 'guide-sandbox',
  title: 'Test in the sandbox',
  lead: 'Simulated coins on a simulated network, found by the same code as real money. Try what goes wrong before it does.',
  body: (baseUrl) =>
    html`${step(
      'Play the payer',
      html`<p>
        Switch the shop over by ${call('POST /merchant/sandbox')} (payments made before stay what they were),
        make a payment and name a scenario to ${call('POST /sandbox/payment/simulate')}. Blocks come every two
        seconds. The checkout page of a sandbox payment has buttons for it as well.
      </p>`,
      requestSamples({
        method: 'POST',
        url: `${baseUrl}/sandbox/payment/simulate`,
        credential: 'SECRET_KEY',
        body: { paymentId: 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE', scenario: 'exact', coin: 'LTC' },
      }),
    )}
    ${step(
      'What your shop should have seen',
      html`<div class="scroll">
        <table>
          <thead>
            <tr>
              <th>Scenario</th>
              <th>It</th>
              <th>Expect</th>
            </tr>
          </thead>
          <tbody>
            ${SCENARIOS.map(
              ([name, does, expect]) =>
                html`<tr>
                  <td><code>${name}</code></td>
                  <td>${does}</td>
                  <td>${expect}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`,
    )}`,
};
