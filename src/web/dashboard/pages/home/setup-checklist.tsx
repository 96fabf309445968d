import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Data } from '../../contract/contract.ts';
import { useApi } from '../../api/hooks.ts';
import type { Shop } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, Card, LINK } from '../../ui/basics.tsx';
import { when } from '../../format/format.ts';
import { TestPayment } from './test-payment.tsx';
import { BASE_PATH } from '../../../base-path.ts';

type Setup = Data<'GET', '/merchant/setup'>;
type Step = Setup['steps'][number];
type Reason = NonNullable<Step['reason']>;

const LIVE_MS = 15_000;

/** The steps before real money, shown until the first real payment. Each user may hide it, and show it again. */
export function SetupChecklist({ shop }: { shop: Shop }) {
  const setup = useApi('/merchant/setup', { merchantId: shop.id }, { refetchMs: LIVE_MS });
  const [isHidden, setHidden] = useHidden(shop.id);
  const { data } = setup;
  // Optional on the page: if it cannot be read, it is not shown.
  if (data === undefined || data.hasLivePayment) return null;
  const done = data.steps.filter((step) => step.done).length;
  if (isHidden) {
    return (
      <p className="mb-6 text-sm text-soft">
        <button type="button" className={LINK} onClick={() => setHidden(false)}>
          {t('Show remaining setup steps')}
        </button>
      </p>
    );
  }
  return (
    <Card
      title={t('Before you go live')}
      className="mb-6"
      actions={
        <span className="flex items-center gap-2 text-sm text-soft">
          {t('{done} of {all} done', { done, all: data.steps.length })}
          <Button look="quiet" isSmall onClick={() => setHidden(true)}>
            {t('Hide')}
          </Button>
        </span>
      }
    >
      <ul className="grid gap-1">
        {data.steps.map((step) => (
          <StepRow key={step.name} step={step} setup={data} shop={shop} />
        ))}
      </ul>
      {done === data.steps.length && <AllDone shop={shop} />}
    </Card>
  );
}

function AllDone({ shop }: { shop: Shop }) {
  if (!shop.sandboxMode)
    return <p className="mt-4 text-sm">{t('All done. This list goes away with the first live payment.')}</p>;
  return (
    <p className="mt-4 text-sm">
      {t('All done.')}{' '}
      <Link to="/shop/$shopId/settings" params={{ shopId: shop.id }} className={LINK}>
        {t('Go live')}
      </Link>
    </p>
  );
}

interface StepProps {
  readonly step: Step;
  readonly setup: Setup;
  readonly shop: Shop;
}

function StepRow({ step, setup, shop }: StepProps) {
  const { title, line, link } = VIEWS[step.name]({ step, setup, shop });
  return (
    <li className="flex items-start gap-3 py-1.5">
      <Mark isDone={step.done} />
      <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-3 gap-y-2 text-sm">
        <div className="min-w-0 flex-1 basis-40">
          <p className="font-medium">
            {title} <span className="sr-only">{step.done ? t('(done)') : t('(to do)')}</span>
          </p>
          <p className="text-soft">{line}</p>
        </div>
        {!step.done && <span className="shrink-0">{link}</span>}
      </div>
    </li>
  );
}

function Mark({ isDone }: { isDone: boolean }) {
  const look = isDone ? 'bg-accent text-accent-ink' : 'border-2 border-edge';
  return (
    <span
      aria-hidden="true"
      className={`mt-0.5 grid size-5 shrink-0 place-items-center rounded-full text-xs font-bold ${look}`}
    >
      {isDone && '✓'}
    </span>
  );
}

interface StepView {
  readonly title: string;
  readonly line: string;
  /** The page on which to do the step. */
  readonly link: ReactNode;
}

/** One entry for each step; a step that is added to the API fails to compile here. */
const VIEWS: Record<Step['name'], (props: StepProps) => StepView> = {
  test_payment: ({ step, shop }) => ({
    title: t('Pay a test payment'),
    line: step.done
      ? t('A payment was completed in the sandbox.')
      : t('Make one in the sandbox and play the payer on its checkout page.'),
    link: shop.sandboxMode ? (
      <TestPayment shop={shop} />
    ) : (
      <ShopLink shop={shop} to="/shop/$shopId/settings" text={t('Go to the sandbox')} />
    ),
  }),
  webhook: ({ step, shop }) => ({
    title: t('Receive webhooks'),
    line: step.done ? since(step, t('Your shop answered.')) : describeReason(step),
    link:
      step.reason === 'no_endpoint' ? (
        <ShopLink shop={shop} to="/shop/$shopId/settings" text={t('Set the URL')} />
      ) : (
        <ShopLink shop={shop} to="/shop/$shopId/webhooks" text={t('Send a test')} />
      ),
  }),
  domain: ({ step, shop }) => ({
    title: t('Verify your domain'),
    line: step.done
      ? t('Payers see that {domain} is yours.', { domain: shop.domain })
      : t('Payers see {domain} on the checkout; show them that it is yours.', { domain: shop.domain }),
    link: <ShopLink shop={shop} to="/shop/$shopId/settings" text={t('Verify it')} />,
  }),
  second_factor: ({ step }) => ({
    title: t('Set up a second factor or a passkey'),
    line: step.done
      ? since(step, t('There is more than your password.'))
      : t('With your password alone, anyone could send your coins.'),
    link: (
      <Link to="/account" className={LINK}>
        {t('Set it up')}
      </Link>
    ),
  }),
  backup: ({ step }) => ({
    title: t('Back up this server'),
    line: step.done ? since(step, t('Backups are made on a schedule.')) : describeReason(step),
    link: (
      <a href={`${BASE_PATH}/docs#guide-live`} className={LINK}>
        {t('What to do')}
      </a>
    ),
  }),
  node: ({ setup }) => ({
    title: t('Connect a node'),
    line: nodeLine(setup),
    link: (
      <Link to="/nodes" className={LINK}>
        {t('See the nodes')}
      </Link>
    ),
  }),
};

const REASONS: Record<Reason, () => string> = {
  no_endpoint: () => t('No webhook URL is set: your shop is not notified of payments.'),
  no_answer: () => t('Your endpoint has not answered yet.'),
  not_scheduled: () => t('No backups are scheduled. Ask the operator of this server.'),
  none_made: () => t('No backup was made yet. Ask the operator of this server.'),
  too_old: () => t('The newest backup is too old. Ask the operator of this server.'),
};

function describeReason({ reason }: Step): string {
  return reason === null ? '' : REASONS[reason]();
}

function since({ at }: Step, text: string): string {
  return at === null ? text : `${text} ${when(at)}`;
}

function nodeLine({ coins }: Setup): string {
  const ready = coins.filter(({ state }) => state === 'ready').map(({ coin }) => coin);
  if (ready.length === 0) return t('No coin can take real money yet.');
  return t('Ready to take real money: {coins}.', { coins: ready.join(', ') });
}

function ShopLink(props: {
  shop: Shop;
  to: '/shop/$shopId/settings' | '/shop/$shopId/webhooks';
  text: string;
}) {
  return (
    <Link to={props.to} params={{ shopId: props.shop.id }} className={LINK}>
      {props.text}
    </Link>
  );
}

/** Stored in this browser, because it is a preference of the reader and not a property of the shop. */
function useHidden(shopId: string): [boolean, (hidden: boolean) => void] {
  const name = `tilld.setup-hidden.${shopId}`;
  const [hidden, setHidden] = useState(() => stored(name) !== null);
  const change = (wanted: boolean): void => {
    setHidden(wanted);
    try {
      if (wanted) localStorage.setItem(name, 'yes');
      else localStorage.removeItem(name);
    } catch {
      // Without storage it is hidden until the page is reloaded.
    }
  };
  return [hidden, change];
}

function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
