import { useState } from 'react';
import { setLiveChoice, useLiveChoice } from '../../api/live-choice.ts';
import { t } from '../../i18n/t.ts';
import { Card } from '../../ui/basics.tsx';
import { playChime } from '../../../chime.ts';
import { Check } from '../../ui/form.tsx';

/** Sound and notification in this browser, for payments of the shop in view. */
export function LiveChoiceCard() {
  const choice = useLiveChoice();
  const [isBlocked, setBlocked] = useState(false);
  const chooseNotification = async (isWanted: boolean): Promise<void> => {
    const isAllowed = isWanted && (await mayNotify());
    setBlocked(isWanted && !isAllowed);
    setLiveChoice({ notification: isAllowed });
  };
  return (
    <Card title={t('In this browser')}>
      <p className="mb-3 text-sm text-soft">
        {t('When a payment is seen on the network or paid, as long as the dashboard is open in a tab.')}
      </p>
      <div className="grid gap-1">
        <Check
          label={t('Play a sound')}
          checked={choice.sound}
          onChange={({ target }) => chooseSound(target.checked)}
        />
        <Check
          label={t('Show a notification')}
          checked={choice.notification}
          onChange={({ target }) => void chooseNotification(target.checked)}
        />
        <p role="status" className="text-sm text-warn">
          {isBlocked && t('Your browser blocks notifications of this site. Allow them in its settings.')}
        </p>
      </div>
    </Card>
  );
}

/** Plays it at once: browsers allow sounds only after a click. */
function chooseSound(sound: boolean): void {
  setLiveChoice({ sound });
  if (sound) playChime('paid');
}

async function mayNotify(): Promise<boolean> {
  if (typeof Notification === 'undefined') return false;
  return (await Notification.requestPermission()) === 'granted';
}
