import type { WebhookLog } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Badge } from '../../ui/basics.tsx';

export function isFine(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Deliveries of a deleted endpoint end without an attempt; that is logged, too. */
export function isEnded({ status, error }: { status: number; error: string | null }): boolean {
  return status === 0 && error?.startsWith('ended:') === true;
}

/** The result of an attempt. */
export function Outcome({ log }: { log: WebhookLog }) {
  return (
    <Badge tone={isFine(log.status) ? 'good' : 'bad'}>
      {isEnded(log) ? t('Ended') : log.status === 0 ? t('No answer') : log.status}
    </Badge>
  );
}

/** Request and response of one attempt. @param props.number its number, for ids that are unique on the page */
export function Attempt({ log, number }: { log: WebhookLog; number: string }) {
  return (
    <div className="mt-3 grid gap-3 lg:grid-cols-2">
      <Message
        title={t('Request')}
        number={number}
        headers={log.request.headers}
        body={JSON.stringify(log.request.body, null, 2)}
      />
      <Message
        title={t('Response')}
        number={number}
        headers={log.response.headers}
        body={(log.status === 0 ? log.error : log.response.body) ?? ''}
      />
    </div>
  );
}

function Message(props: { title: string; number: string; headers: Record<string, string>; body: string }) {
  const headers = Object.entries(props.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className="min-w-0">
      <h2 className="mb-1 text-xs font-medium text-soft">{props.title}</h2>
      <pre
        tabIndex={0}
        aria-label={`${props.title} ${props.number}`}
        role="region"
        className="max-h-80 overflow-auto rounded-xl border border-line bg-well p-3 text-xs"
      >
        {[...headers, '', props.body].join('\n')}
      </pre>
    </div>
  );
}
