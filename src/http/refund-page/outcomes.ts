import { assertNever } from '../../domain/errors.ts';
import { formatCoins, formatDay } from '../checkout/format.ts';
import { coinIcon, stateIcon, type StateIcon } from '../checkout/icons.ts';
import { html, type Html } from '../pages/html.ts';
import { pageQuery, type RefundPageModel } from './page-model.ts';

/** The state of a refund that cannot be claimed (any more). */
export function describeOutcome(scene: RefundPageModel): Html {
  const { link, say, language } = scene;
  const { status, claim } = link;
  const date = formatDay(link.expiresAt, language);
  switch (status) {
    case 'open':
      throw new Error('the refund is still open: it has no outcome');
    case 'claimed':
      return link.needsApproval
        ? moving(scene, 'refundClaimedTitle', 'refundClaimedText')
        : moving(scene, 'refundSendingTitle', 'refundSendingText');
    case 'approved':
      return moving(scene, 'refundSendingTitle', 'refundSendingText');
    case 'waiting':
      return moving(scene, 'refundWaitingTitle', 'refundWaitingText');
    case 'paid':
      return html`${outcomeSection('done', say('refundPaidTitle'), say('refundPaidText'))} ${claimed(scene)}`;
    case 'expired':
      return outcomeSection('stop', say('refundExpiredTitle'), say('refundExpiredText', { date }));
    case 'cancelled':
      return scene.request === undefined
        ? outcomeSection('stop', say('refundCancelledTitle'), say('refundCancelledText'))
        : html`${outcomeSection('stop', say('excessDeclinedTitle'), say('excessDeclinedText'))}
          ${claimed(scene)}`;
    case 'gone':
      return html`${outcomeSection('back', say('refundGoneTitle'), say('refundGoneText'))}
      ${claim !== null && claimed(scene)}`;
    default:
      return assertNever(status);
  }
}

type MovingText =
  | 'refundClaimedTitle'
  | 'refundClaimedText'
  | 'refundSendingTitle'
  | 'refundSendingText'
  | 'refundWaitingTitle'
  | 'refundWaitingText';

function moving(scene: RefundPageModel, title: MovingText, text: MovingText): Html {
  const { say } = scene;
  return html`${outcomeSection('wait', say(title), say(text))} ${claimed(scene)}
    <p><a class="link" href="?${pageQuery(scene)}">${say('refundAgain')}</a></p>`;
}

function outcomeSection(icon: StateIcon, title: string, text: string): Html {
  return html`<div class="outcome">
    ${stateIcon(icon)}
    <h2>${title}</h2>
    <p>${text}</p>
  </div>`;
}

/** The stored claim, so that a second visitor sees that it was already claimed. */
function claimed({ link, say, language }: RefundPageModel): Html | null {
  const { claim } = link;
  if (claim === null) return null;
  const { coin, amount, destination, txid, isConfirmed } = claim;
  const { length } = destination;
  return html`<section class="received" aria-label="${say('refundTo')}">
    <ul>
      <li>
        ${coinIcon(coin)}
        <div>
          <b class="number">${formatCoins(amount, language)} ${coin}</b>
          <span class="hint"
            >${say('refundTo')}
            ${length > 20 ? `${destination.slice(0, 10)}…${destination.slice(-8)}` : destination}
            (${formatDay(claim.claimedAt, language)})</span
          >
          ${
            txid !== null &&
            html`<span class="hint">${say(isConfirmed ? 'inBlock' : 'unconfirmed')}</span>
              <span class="txid"><span class="sr">${say('transaction')}</span> ${txid}</span>`
          }
        </div>
      </li>
    </ul>
  </section>`;
}
