import { useMode, type Mode } from './api/mode.ts';
import { useShop } from './api/hooks.ts';
import { parts, t } from './i18n/t.ts';
import { Button } from './ui/basics.tsx';

/** Which payments and balances the pages show. */
export function ModeToggle() {
  const shop = useShop();
  const { viewed, choose } = useMode();
  if (shop === undefined || viewed === undefined) return null;
  return (
    <div
      role="group"
      aria-label={t('Mode shown')}
      className="flex shrink-0 gap-1 rounded-xl border border-edge bg-well p-1"
    >
      <Choice mode="sandbox" name={t('Test')} isOn={viewed === 'sandbox'} onChoose={choose} />
      <Choice mode="live" name={t('Live')} isOn={viewed === 'live'} onChoose={choose} />
    </div>
  );
}

function Choice(props: { mode: Mode; name: string; isOn: boolean; onChoose: (mode: Mode) => void }) {
  const { mode, name, isOn, onChoose } = props;
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={() => onChoose(mode)}
      className={`min-h-8 flex-1 rounded-lg px-3 text-sm font-semibold ${isOn ? 'bg-accent-soft text-accent' : 'text-soft hover:text-ink'}`}
    >
      {name}
    </button>
  );
}

/** Warns if money here is simulated, and prominently if the shown mode is not the shop's. */
export function ModeNote() {
  const shop = useShop();
  const { viewed, isOther, choose } = useMode();
  if (shop === undefined) return null;
  if (isOther) {
    const isTest = viewed === 'sandbox';
    return (
      <aside
        aria-label={t('Mode shown')}
        className="sticky top-0 z-5 mb-6 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-xl border-2 border-warn bg-warn-soft px-4 py-3 text-sm text-warn"
      >
        <p className="min-w-0 flex-1 basis-60">
          <b className="block text-base">
            {isTest ? t('You are looking at test payments') : t('You are looking at live payments')}
          </b>
          {isTest
            ? t('This shop takes real money. What you see here is simulated.')
            : t(
                'New payments accept simulated coins now. This page shows real money: a refund sends real coins.',
              )}
        </p>
        <Button onClick={() => choose(isTest ? 'live' : 'sandbox')}>
          {isTest ? t('Back to live') : t('Back to test')}
        </Button>
      </aside>
    );
  }
  if (!shop.sandboxMode) return null;
  return (
    <p className="mb-4 rounded-lg bg-info-soft px-3 py-1.5 text-xs text-info sm:mb-6 sm:text-sm">
      {parts('{sandbox} Every coin is simulated.', {
        sandbox: <b className="font-semibold">{t('Sandbox.')}</b>,
      })}
    </p>
  );
}
