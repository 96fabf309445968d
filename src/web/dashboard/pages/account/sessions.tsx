import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { requestPrivate, type ApiError, type ListedSession } from '../../api/client.ts';
import { useAct } from '../../api/hooks.ts';
import { signOutEverywhere } from '../../api/sign-out.ts';
import { parts, t } from '../../i18n/t.ts';
import { Badge, Button, Card, Problem, Loaded } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { telling } from '../../ui/toast.ts';
import { Time } from '../../ui/time.tsx';

type Sessions = Awaited<ReturnType<typeof requestPrivate<'GET /auth/sessions'>>>;

/** The sessions of the user, and buttons to end them. */
export function Sessions() {
  const sessions = useQuery<Sessions, ApiError>({
    queryKey: ['/auth/sessions'],
    queryFn: () => requestPrivate('GET /auth/sessions'),
  });
  const end = useAct(
    (sessionId: string) => requestPrivate('DELETE /auth/sessions', { sessionId }),
    telling(t('Session ended')),
  );
  return (
    <Card title={t('Where you are signed in')} actions={<Everywhere />}>
      {end.error !== null && <Problem error={end.error} />}
      <Loaded of={sessions} rows={2}>
        {(data) => (
          <ul className="divide-y divide-line">
            {data.sessions.map((session) => (
              <Line
                key={session.id}
                of={session}
                busy={end.isPending && end.variables === session.id}
                onEnd={() => end.mutate(session.id)}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function Line({ of, busy, onEnd }: { of: ListedSession; busy: boolean; onEnd: () => void }) {
  const name = describeBrowser(of.userAgent);
  return (
    <li className="flex items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0 text-sm">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span title={of.userAgent}>{name}</span>
          {of.current && <Badge tone="good">{t('This one')}</Badge>}
        </p>
        <p className="text-soft">
          {parts('{address}, last used {lastUsedAt}, since {createdAt}', {
            address: <span className="break-all">{of.address}</span>,
            lastUsedAt: <Time at={of.lastUsedAt} />,
            createdAt: <Time at={of.createdAt} />,
          })}
        </p>
      </div>
      {!of.current && (
        <Button isSmall busy={busy} onClick={onEnd} aria-label={t('End the session of {name}', { name })}>
          {t('End')}
        </Button>
      )}
    </li>
  );
}

function Everywhere() {
  const [asks, setAsks] = useState(false);
  const out = useAct(signOutEverywhere);
  return (
    <>
      <Button isSmall onClick={() => setAsks(true)}>
        {t('End every session')}
      </Button>
      <Confirm
        title={t('Sign out everywhere?')}
        open={asks}
        onClose={() => setAsks(false)}
        action={t('Yes, end them all')}
        busy={out.isPending}
        error={out.error}
        onConfirm={() => out.mutate()}
      >
        <p>
          {t(
            'Every browser, including this one, and all your user tokens. API keys of your shops stay valid.',
          )}
        </p>
      </Confirm>
    </>
  );
}

/** In this order, because most browsers also name the browsers they derive from. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['HeadlessChrome', 'Chrome'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

function describeBrowser(userAgent: string): string {
  const browser = BROWSERS.find(([sign]) => userAgent.includes(sign))?.[1];
  const system = SYSTEMS.find(([sign]) => userAgent.includes(sign))?.[1];
  if (browser === undefined) return userAgent === '' ? t('Unknown browser') : userAgent.slice(0, 40);
  return system === undefined ? browser : t('{browser} on {system}', { browser, system });
}
