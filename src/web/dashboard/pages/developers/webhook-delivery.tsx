import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi } from '../../api/hooks.ts';
import type { WebhookDelivery, WebhookLog } from '../../contract/types.ts';
import { parts, plural, t } from '../../i18n/t.ts';
import { Badge, Button, LINK, Problem, Loaded } from '../../ui/basics.tsx';
import { Time } from '../../ui/time.tsx';
import { Attempt, isEnded, isFine, Outcome } from './webhook-attempt.tsx';

/** More than the maximum number of attempts for one event, including some manual ones. */
const ATTEMPTS = 100;

interface EntryProps {
  readonly of: WebhookDelivery;
  readonly merchantId: string;
  readonly onToggle: (isOpen: boolean) => void;
}

/** One delivery as a line; expanded, its attempts with request and response. */
export function DeliveryEntry({ of, merchantId, onToggle }: EntryProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details
      className="py-3"
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
        onToggle(event.currentTarget.open);
      }}
    >
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <DeliveryState of={of} />
        <b className="font-semibold">{of.event}</b>
        <span dir="auto" className="min-w-0 basis-full truncate text-soft sm:flex-1 sm:basis-0">
          {of.endpoint}
        </span>
        <span className="text-soft">
          <Time at={of.createdAt} />
          <Tried of={of} />
          {of.nextAttemptAt !== null && (
            <>
              {' · '}
              <NextTry at={of.nextAttemptAt} isFirst={of.last === null} />
            </>
          )}
        </span>
      </summary>
      {isOpen && <Attempts of={of} merchantId={merchantId} />}
    </details>
  );
}

function NextTry({ at, isFirst }: { at: string; isFirst: boolean }) {
  if (Date.parse(at) <= Date.now()) return t('due now');
  const time = { at: <Time at={at} /> };
  return isFirst ? parts('first try {at}', time) : parts('next try {at}', time);
}

/** The current state of the delivery. */
export function DeliveryState({ of: { state, last } }: { of: WebhookDelivery }) {
  if (state === 'delivered') return <Badge tone="good">{t('Delivered')}</Badge>;
  if (state === 'failed')
    return <Badge tone="bad">{last !== null && isEnded(last) ? t('Ended') : t('Failed')}</Badge>;
  return last === null ? (
    <Badge tone="idle">{t('Not tried yet')}</Badge>
  ) : (
    <Badge tone="warn">{t('To be tried again')}</Badge>
  );
}

/** The number of attempts, and the result of the last one. */
function Tried({ of: { attempts, last } }: { of: WebhookDelivery }) {
  return (
    <>
      {attempts > 0 && <> · {plural(attempts, 'one attempt', '{count} attempts')}</>}
      {last !== null && !isEnded(last) && (
        <>
          {' · '}
          {last.status === 0 ? t('no answer') : t('answered {status}', { status: last.status })}
        </>
      )}
    </>
  );
}

/** Not refreshed while expanded; attempts made since then are shown when it is expanded again. */
function Attempts({ of, merchantId }: { of: WebhookDelivery; merchantId: string }) {
  const logs = useApi('/merchant/webhook-logs', { merchantId, deliveryId: of.id, limit: ATTEMPTS });
  const [paused, setPaused] = useState<typeof logs.data>();
  const { data: newest, isFetching } = logs;
  useEffect(() => {
    if (newest !== undefined && !isFetching) setPaused((before) => before ?? newest);
  }, [newest, isFetching]);
  return (
    <div className="mt-3">
      <Loaded of={logs} rows={2}>
        {(present) => {
          const { logs: shown } = paused ?? present;
          return (
            <>
              {shown.length === 0 && (
                <p className="text-sm text-soft">
                  {of.last === null && of.attempts === 0
                    ? t('Nothing was sent yet.')
                    : t('The sent content is no longer stored.')}
                </p>
              )}
              {shown.map((log, at) => (
                <OneAttempt
                  key={log.id}
                  log={log}
                  eventId={of.eventId}
                  number={shown.slice(at).filter((one) => !isEnded(one)).length}
                />
              ))}
              <Actions of={of} newest={shown[0]} merchantId={merchantId} />
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

function OneAttempt(props: { log: WebhookLog; eventId: string; number: number }) {
  const { log, eventId, number } = props;
  return (
    <div className="mt-4 first:mt-0">
      <p className="flex flex-wrap items-center gap-x-3 text-sm text-soft">
        <Outcome log={log} />
        {!isEnded(log) && <span>{t('attempt {attempt}', { attempt: number })}</span>}
        <Time at={log.createdAt} exact="second" />
        {!isEnded(log) && <span>{log.durationMs} ms</span>}
      </p>
      <Attempt log={log} number={`${eventId}, ${isEnded(log) ? log.id : number}`} />
    </div>
  );
}

function Actions(props: { of: WebhookDelivery; newest: WebhookLog | undefined; merchantId: string }) {
  const { of, newest, merchantId } = props;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-3">
      {newest !== undefined && <SendAgain logId={newest.id} merchantId={merchantId} />}
      {of.paymentId !== null && (
        <Link
          to="/shop/$shopId/payments/$paymentId"
          params={{ shopId: merchantId, paymentId: of.paymentId }}
          className={`text-sm ${LINK}`}
        >
          {t('Open the payment')}
        </Link>
      )}
    </div>
  );
}

function SendAgain({ logId, merchantId }: { logId: string; merchantId: string }) {
  const again = useAct(() =>
    api('POST', '/merchant/webhook/redeliver', { query: { merchantId }, body: { logId } }),
  );
  return (
    <>
      {again.error !== null && (
        <div className="basis-full">
          <Problem error={again.error} />
        </div>
      )}
      <Button busy={again.isPending} onClick={() => again.mutate()}>
        {t('Send again')}
      </Button>
      <span role="status" className="order-last text-sm font-medium">
        {again.data !== undefined && sentAgain(again.data)}
      </span>
    </>
  );
}

function sentAgain({ status, error }: { status: number; error: string | null }): string {
  if (isFine(status)) return t('Sent again: your endpoint answered {status}.', { status });
  if (status !== 0) return t('Sent again, and your endpoint answered {status}.', { status });
  return t('Sent again, without an answer: {error}.', { error: error ?? t('no answer came') });
}
