import { assertNever } from '../../domain/errors.ts';
import type { StateIcon } from '../checkout/icons.ts';
import { dayIn, type PortalScene } from './scene.ts';

/** The state of a subscription in one sentence. */
export function describeStatus(scene: PortalScene): { readonly icon: StateIcon; readonly text: string } {
  const { view, say } = scene;
  const { status, activeUntil, trialEndsAt, startsAt, cancelAtPeriodEnd } = view;
  const until = { date: dayIn(scene, activeUntil ?? trialEndsAt ?? startsAt) };
  switch (status) {
    case 'trialing':
      if (cancelAtPeriodEnd) return { icon: 'stop', text: say('ending', until) };
      return trialEndsAt === null
        ? { icon: 'wait', text: say('beginsOn', { date: dayIn(scene, startsAt) }) }
        : { icon: 'done', text: say('trialUntil', { date: dayIn(scene, trialEndsAt) }) };
    case 'active':
      return cancelAtPeriodEnd
        ? { icon: 'stop', text: say('ending', until) }
        : { icon: 'done', text: say('paidUntil', until) };
    case 'past_due':
      return { icon: 'alert', text: say('pastDue') };
    case 'paused':
      return { icon: 'wait', text: say('paused') };
    case 'cancelled':
      return { icon: 'stop', text: say('cancelled', until) };
    case 'ended':
      return { icon: 'stop', text: say('ended', until) };
    default:
      return assertNever(status);
  }
}
