import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from './api/client.ts';
import { useShop, useShopId } from './api/hooks.ts';
import { useLiveChoice, type LiveChoice } from './api/live-choice.ts';
import { liveMoments, type LiveMoment } from './api/live-moments.ts';
import { useMode } from './api/mode.ts';
import { fiat, orderName } from './format/format.ts';
import { t } from './i18n/t.ts';
import { playChime } from '../chime.ts';

const LIVE_MS = 5_000;
const LATEST = 50;

/** Plays a sound and shows a notification for payments of the shop in view, if this browser is set to. */
export function LiveMoments() {
  const choice = useLiveChoice();
  const merchantId = useShopId();
  const isOn = (choice.sound || choice.notification) && merchantId !== '';
  return isOn ? <Watch key={merchantId} merchantId={merchantId} choice={choice} /> : null;
}

function Watch({ merchantId, choice }: { merchantId: string; choice: LiveChoice }) {
  const { viewed: mode } = useMode();
  const shop = useShop()?.name ?? '';
  const known = useRef<{ mode: string | undefined; stages: Parameters<typeof liveMoments>[0] } | null>(null);
  const { data } = useQuery({
    queryKey: ['live-moments', merchantId, mode],
    queryFn: () => {
      const query = { merchantId, mode, sort: '-createdAt' as const, limit: LATEST };
      return api('GET', '/payment/list', { query });
    },
    enabled: mode !== undefined,
    refetchInterval: LIVE_MS,
    // A notification is for a tab that is not in view.
    refetchIntervalInBackground: true,
  });
  useEffect(() => {
    if (data === undefined) return;
    const isFirst = known.current?.mode !== mode;
    if (known.current === null || isFirst) known.current = { mode, stages: new Map() };
    const moments = liveMoments(known.current.stages, data.payments);
    // What is on the list when the page opens is no news.
    if (!isFirst && moments.length > 0) announce(moments, shop, choice);
  }, [data, mode, shop, choice]);
  return null;
}

function announce(moments: readonly LiveMoment[], shop: string, { sound, notification }: LiveChoice): void {
  if (sound) playChime(moments.some(({ kind }) => kind === 'paid') ? 'paid' : 'seen');
  if (!notification || typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  for (const { kind, payment } of moments) {
    const amount = fiat(payment.amount, payment.currency);
    const title =
      kind === 'paid' ? t('{amount} paid', { amount }) : t('{amount} seen on the network', { amount });
    const body = t('{shop}, order {orderId}', { shop, orderId: orderName(payment) });
    // One per payment: a later one replaces it.
    const shown = new Notification(title, { body, tag: payment.id, silent: sound });
    shown.addEventListener('click', () => window.focus());
  }
}
