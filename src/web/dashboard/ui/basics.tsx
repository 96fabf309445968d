import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { copyText } from '../../copy-text.ts';
import type { ApiError } from '../api/client.ts';
import type { Coin } from '../contract/types.ts';
import { COIN_CLASSES } from '../format/coins.ts';
import { t } from '../i18n/t.ts';
import { ErrorWords } from './error-words.tsx';

const LOOKS = {
  primary: 'bg-accent text-accent-ink hover:brightness-110',
  plain: 'border border-line bg-card hover:bg-well',
  danger: 'bg-stop-soft text-stop hover:brightness-95',
  quiet: 'text-soft hover:bg-well hover:text-ink',
} as const;

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof LOOKS;
  readonly busy?: boolean;
  /** For rows of a list. */
  readonly isSmall?: boolean;
}

export function Button({
  look = 'plain',
  busy = false,
  isSmall = false,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={busy || rest.disabled === true}
      aria-busy={busy}
      className={`inline-flex items-center justify-center gap-2 font-semibold transition disabled:opacity-60 ${isSmall ? 'min-h-8 rounded-lg px-2.5 text-xs' : 'min-h-10 rounded-xl px-4 text-sm'} ${LOOKS[look]} ${className}`}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-4 animate-spin rounded-full border-2 border-current border-t-transparent"
    />
  );
}

export function Card(props: {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={`rounded-2xl border border-line bg-card ${props.className ?? ''}`}>
      {props.title !== undefined && (
        <header className="flex flex-wrap items-center justify-between gap-2 px-5 pt-4">
          <h2 className="text-base font-semibold">{props.title}</h2>
          {props.actions}
        </header>
      )}
      <div className="p-5">{props.children}</div>
    </section>
  );
}

export function PageTitle(props: { title: string; lead?: ReactNode; actions?: ReactNode }) {
  useEffect(() => {
    document.title = `${props.title} · tilld`;
  }, [props.title]);
  return (
    <div className="mb-6 flex flex-wrap items-end justify-between gap-3">
      <div className="min-w-0">
        <h1 className="text-2xl font-bold tracking-tight break-words">{props.title}</h1>
        {props.lead !== undefined && <p className="mt-1 text-sm text-soft">{props.lead}</p>}
      </div>
      {props.actions !== undefined && (
        <div className="flex flex-wrap items-center gap-2">{props.actions}</div>
      )}
    </div>
  );
}

const BUTTON_LINK = 'inline-flex min-h-10 items-center justify-center rounded-xl px-4 text-sm font-semibold';
/** Links that look like buttons. */
export const LINK_BUTTON = `${BUTTON_LINK} border border-line bg-card hover:bg-well`;
export const LINK_PRIMARY = `${BUTTON_LINK} bg-accent text-accent-ink hover:brightness-110`;

export const LINK = 'font-medium text-accent underline underline-offset-2';

const TONES = {
  good: 'bg-accent-soft text-accent',
  busy: 'bg-info-soft text-info',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-stop-soft text-stop',
  idle: 'bg-well text-soft border border-line',
} as const;
export type Tone = keyof typeof TONES;

export function Badge(props: { tone: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center rounded-full px-2.5 py-0.5 text-xs font-semibold whitespace-nowrap ${TONES[props.tone]}`}
    >
      {props.children}
    </span>
  );
}

export function Empty(props: { title: string; children?: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-2 px-4 py-10 text-center">
      <p className="font-semibold">{props.title}</p>
      <div className="max-w-sm text-sm text-soft">{props.children}</div>
    </div>
  );
}

export function Problem(props: { error: ApiError; onRetry?: () => void }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-xl bg-stop-soft p-4 text-sm text-stop"
    >
      <p className="flex-1">
        <ErrorWords error={props.error} />
      </p>
      {props.onRetry !== undefined && <Button onClick={props.onRetry}>{t('Try again')}</Button>}
    </div>
  );
}

function Loading(props: { rows?: number }) {
  return (
    <div role="status" aria-label={t('Loading')} className="grid gap-3">
      {Array.from({ length: props.rows ?? 4 }, (_, row) => (
        <div key={row} className="h-10 animate-pulse rounded-xl bg-line" />
      ))}
    </div>
  );
}

/** Cached data stays visible, with a note that it may be outdated. */
function Stale(props: { error: ApiError; onRetry: () => void }) {
  return (
    <div
      role="status"
      className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-xl bg-warn-soft px-4 py-2 text-sm text-warn"
    >
      <p className="flex-1">
        {t('This could not be refreshed and may be out of date.')} <ErrorWords error={props.error} />
      </p>
      <button type="button" onClick={props.onRetry} className="min-h-8 font-semibold underline">
        {t('Try again')}
      </button>
    </div>
  );
}

interface Read<T> {
  readonly data: T | undefined;
  readonly error: ApiError | null;
  readonly refetch: () => unknown;
}

/** Loading, an error, or the loaded content. */
export function Loaded<T>(props: { of: Read<T>; rows?: number; children: (data: T) => ReactNode }) {
  const { data, error, refetch } = props.of;
  if (data !== undefined) {
    return (
      <>
        {error !== null && <Stale error={error} onRetry={() => void refetch()} />}
        {props.children(data)}
      </>
    );
  }
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  return <Loading {...(props.rows === undefined ? {} : { rows: props.rows })} />;
}

const COPIED_MS = 1_800;

export function Copy(props: {
  text: string;
  label: string;
  isSmall?: boolean;
  look?: 'plain' | 'primary';
  children?: ReactNode;
}) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async (): Promise<void> => {
    setState((await copyText(props.text)) ? 'copied' : 'failed');
    window.setTimeout(() => setState('idle'), COPIED_MS);
  };
  const words = { idle: props.label, copied: t('Copied'), failed: t('Copying failed: select the text') };
  const shown = { idle: props.children ?? t('Copy'), copied: t('Copied'), failed: t('Select it') };
  return (
    <Button
      onClick={() => void copy()}
      aria-label={words[state]}
      className="shrink-0"
      isSmall={props.isSmall === true}
      look={props.look ?? 'plain'}
    >
      {shown[state]}
    </Button>
  );
}

export function CopyLine(props: { text: string; label: string; children?: ReactNode }) {
  return (
    <div className="flex items-center gap-2 rounded-xl border border-line bg-well p-2 ps-3">
      <code className="min-w-0 flex-1 text-sm break-all">{props.children ?? props.text}</code>
      <Copy text={props.text} label={t('Copy {label}', { label: props.label })} />
    </div>
  );
}

export function CoinName(props: { coin: Coin }) {
  return (
    <span className="inline-flex items-center gap-2 font-semibold">
      <span aria-hidden="true" className={`size-2.5 rounded-full ${COIN_CLASSES[props.coin].dot}`} />
      {props.coin}
    </span>
  );
}
